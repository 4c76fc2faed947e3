/* The buttons that save the figure of a page of its own. */
{
  const graph = document.getElementById("figure");
  const { name, look } = document.getElementById("pictures").dataset;
  for (const button of document.querySelectorAll("button[data-format]")) {
    button.onclick = () => {
      const { layout, size } = pictured(graph, JSON.parse(look));
      Plotly.downloadImage({ data: graph.data, layout }, { format: button.dataset.format, filename: name, ...size });
    };
  }
}
