/* merged(into, from): into, with all that from sets in it. */
window.merged = (into, from) => {
  for (const [key, value] of Object.entries(from)) {
    into[key] = Object(value) === value ? merged(into[key] ?? {}, value) : value;
  }
  return into;
};

/* pictured(graph, look): the layout of a drawn graph for a picture, and the picture's size: a slide's of 960 or 1280
   pixels, drawn the larger, the least into which the graph goes with its height kept to five sixths; one that goes into
   none keeps its height. What is enlarged for a room needs 1280 for its words. The title's place is a share of the
   height. look: of dpbi/figures/picture.py. */
window.pictured = (graph, { ground, template, font, pixels }) => {
  const layout = merged(structuredClone(graph.layout), ground);
  layout.template = merged(structuredClone(graph.layout.template ?? {}), template);
  const own = graph._fullLayout.height;
  const fits = (width) => (width * 9) / 16 >= (own * 5) / 6;
  const width = layout.font.size > font || !fits(960) ? 1280 : 960;
  const height = fits(width) ? (width * 9) / 16 : own;
  if (layout.title?.y !== undefined) layout.title.y = 1 - ((1 - layout.title.y) * own) / height;
  return { layout, size: { width, height, scale: pixels / width } };
};
