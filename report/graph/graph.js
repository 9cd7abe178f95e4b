"use strict";
// Pan and zoom, as on the page of contend report.
(function () {
  const box = document.getElementById("graph"), picture = box.querySelector("svg"), high = +picture.getAttribute("height"), wide = +picture.getAttribute("width");
  picture.style.overflow = "hidden"; // before svg-pan-zoom would, as an attribute that the page's policy forbids
  box.style.height = Math.max(320, Math.min(innerHeight - 140, high * Math.min(1, box.clientWidth / wide) + 20)) + "px";
  picture.removeAttribute("width");
  picture.removeAttribute("height");
  const zoom = svgPanZoom(picture, { controlIconsEnabled: false, mouseWheelZoomEnabled: false, minZoom: 0.2, maxZoom: 20, fit: true, center: true });
  const whole = () => { zoom.resize(); zoom.fit(); zoom.center(); };
  document.getElementById("larger").addEventListener("click", () => zoom.zoomIn());
  document.getElementById("smaller").addEventListener("click", () => zoom.zoomOut());
  document.getElementById("whole").addEventListener("click", whole);
  addEventListener("resize", whole);
  addEventListener("keydown", e => { const act = { "+": () => zoom.zoomIn(), "-": () => zoom.zoomOut(), Escape: whole }[e.key]; if (act) act(); });
})();
