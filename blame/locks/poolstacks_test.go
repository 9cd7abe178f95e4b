package locks

import (
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

// What the stacks of each library show, innermost method first, by its public classes: who waits, uses and returns.
func TestStacksOfPools(t *testing.T) {
	const await = "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await "
	for _, c := range []struct {
		want  phase
		stack string
	}{
		{taking, await + "com.alibaba.druid.pool.DruidDataSource.takeLast " +
			"com.alibaba.druid.pool.DruidDataSource.getConnectionInternal " +
			"com.alibaba.druid.filter.FilterChainImpl.dataSource_connect " +
			"com.alibaba.druid.pool.DruidDataSource.getConnection"},
		{taking, await + "com.alibaba.druid.pool.DruidDataSource.pollLast " +
			"com.alibaba.druid.pool.DruidDataSource.getConnection"},
		{using, "java.net.SocketInputStream.read com.mysql.cj.jdbc.ClientPreparedStatement.executeQuery " +
			"com.alibaba.druid.pool.DruidPooledPreparedStatement.executeQuery"},
		{using, "com.alibaba.druid.pool.DruidPooledPreparedStatement.close"},
		{returning, "com.alibaba.druid.pool.DruidDataSource.recycle " +
			"com.alibaba.druid.pool.DruidPooledConnection.recycle " +
			"com.alibaba.druid.pool.DruidPooledConnection.close"},
		{taking, "java.util.concurrent.Semaphore.tryAcquire org.vibur.objectpool.ConcurrentPool.tryTake " +
			"org.vibur.dbcp.pool.PoolOperations.getProxyConnection org.vibur.dbcp.ViburDBCPDataSource.getConnection"},
		{using, "org.vibur.dbcp.proxy.StatementInvocationHandler.doInvoke " +
			"org.vibur.dbcp.proxy.AbstractInvocationHandler.invoke com.sun.proxy.$Proxy7.executeQuery"},
		{using, "org.vibur.dbcp.proxy.StatementInvocationHandler.doInvoke " +
			"org.vibur.dbcp.proxy.AbstractInvocationHandler.invoke com.sun.proxy.$Proxy7.close"},
		{using, "org.vibur.dbcp.proxy.AbstractInvocationHandler.invoke com.sun.proxy.$Proxy6.isClosed"},
		{returning, "org.vibur.dbcp.pool.PoolOperations.restore " +
			"org.vibur.dbcp.proxy.ConnectionInvocationHandler.doInvoke " +
			"org.vibur.dbcp.proxy.AbstractInvocationHandler.invoke com.sun.proxy.$Proxy6.close"},
		{returning, "org.apache.tomcat.jdbc.pool.ConnectionPool.returnConnection " +
			"org.apache.tomcat.jdbc.pool.ProxyConnection.invoke jdk.proxy2.$Proxy27.close"},
		{taking, "java.lang.Object.wait org.apache.hc.core5.concurrent.BasicFuture.get " +
			"org.apache.hc.core5.pool.StrictConnPool$1.get " +
			"org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager$3.get " +
			"org.apache.hc.client5.http.impl.classic.InternalExecRuntime.acquireEndpoint " +
			"org.apache.hc.client5.http.impl.classic.CloseableHttpClient.execute"},
		{using, "java.net.SocketInputStream.read org.apache.hc.core5.http.impl.io.SessionInputBufferImpl.fillBuffer " +
			"org.apache.hc.client5.http.impl.classic.CloseableHttpClient.execute"},
		{returning, "org.apache.hc.client5.http.impl.classic.CloseableHttpResponse.close"},
		{elsewhere, "java.lang.Thread.sleep"},
	} {
		frames := []format.Frame{}
		for name := range strings.FieldsSeq(c.stack + " app.Job.run java.lang.Thread.run") {
			dot := strings.LastIndexByte(name, '.')
			frames = append(frames, format.Frame{Class: name[:dot], Method: name[dot+1:], Line: 7})
		}
		got, program := elsewhere, frames
		for i := range poolLibraries {
			if what, rest := poolLibraries[i].read(frames); what != elsewhere && !poolLibraries[i].executor &&
				poolLibraries[i].kind == "" {
				got, program = what, rest
			}
		}
		golden.Equal(t, got, c.want, c.stack)
		if got != elsewhere {
			golden.Equal(t, program[0].Class, "app.Job", c.stack)
		}
	}
}
