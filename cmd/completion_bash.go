package cmd

import (
	"bytes"
	"errors"

	"github.com/spf13/cobra"
)

// packageWords is the line of cobra's script that splits the line by a function of the package
// bash-completion, which many systems lack.
const packageWords = `    _get_comp_words_by_ref "$@" cur prev words cword` + "\n"

// ownWords does the same without the package: bash splits words at = and :, which belong to them.
const ownWords = `    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    local i word near=0 rest=${COMP_LINE:0:COMP_POINT}
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ ${rest} == [[:space:]]* ]]; then
            rest=${rest#"${rest%%[![:space:]]*}"}
            near=0
        fi
        ((i < COMP_CWORD)) || word=${rest}
        if ((near)); then
            words[${#words[@]}-1]+=${word}
        else
            words+=("${word}")
        fi
        rest=${rest#"${word}"}
        near=1
    done
    cword=$((${#words[@]} - 1))
    cur=${words[cword]}
    prev=
    ((cword == 0)) || prev=${words[cword-1]}
`

// bashHelp is the help of the script.
const bashHelp = `Print the script for bash. It needs no other package. For the current shell:

  source <(contend completion bash)

For every new one:

  contend completion bash >> ~/.bashrc

or, where the package bash-completion is installed, for all users:

  contend completion bash > /etc/bash_completion.d/contend`

// completeInBash makes the command for bash write a script that needs no other package.
func completeInBash(c *cobra.Command) {
	c.Long = bashHelp
	c.RunE = func(c *cobra.Command, _ []string) error {
		bare, err := c.Flags().GetBool("no-descriptions")
		must(err)
		var script bytes.Buffer
		if err := c.Root().GenBashCompletionV2(&script, !bare); err != nil {
			return err
		}
		whole := bytes.Replace(script.Bytes(), []byte(packageWords), []byte(ownWords), 1)
		if bytes.Equal(whole, script.Bytes()) {
			return errors.New("the script for bash has no place to split words: this contend was built with another " +
				"cobra")
		}
		_, err = c.OutOrStdout().Write(whole)
		return err
	}
}
