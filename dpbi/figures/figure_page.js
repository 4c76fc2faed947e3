/* The picture of the figure of a page of its own: at a width on paper, with its headline or without. It stands below the
   figure as large as it is printed, alone and to its edge; both formats are saved from it. */
{
  const [graph, picture, measured] = ["figure", "picture", "measured"].map((id) => document.getElementById(id));
  const { name, look } = document.getElementById("pictures").dataset;
  const [width, headline] = ["width", "headline"].map((id) => document.getElementById(id));
  const { ground, template, font, pixels } = JSON.parse(look);
  const page = document.head.appendChild(document.createElement("style"));
  const INCH = 2.54;
  const GAP = 8;
  const SVG = "image/svg+xml";
  const CLEAR = { bgcolor: "rgba(0,0,0,0)", activebgcolor: "rgba(0,0,0,0)", borderwidth: 0 };

  /* How far what is found in the drawn copy reaches beyond its plot area, upwards and downwards. */
  const reach = (selector) => {
    const { t, h } = measured._fullLayout._size;
    const from = measured.getBoundingClientRect().top;
    const boxes = [...measured.querySelectorAll(selector)].map((node) => node.getBoundingClientRect());
    const seen = boxes.filter((box) => box.width && box.height);
    return [
      Math.max(0, ...seen.map((box) => from + t - box.top)), Math.max(0, ...seen.map((box) => box.bottom - from - t - h)),
    ];
  };
  const boxOf = (selector) => measured.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();

  /* The least height of a plot area: of a row of panels, or of the categories named one above another. */
  const least = (layout) => {
    const axes = Object.keys(layout).filter((key) => key.startsWith("yaxis")).map((key) => layout[key]);
    const rows = new Set(axes.map((axis) => `${axis.domain}`)).size;
    const named = axes.some((axis) => axis.ticktext?.length && axis.type !== "log");
    const { t, b } = layout.margin;
    const own = graph._fullLayout.height - t - b; // of the layout a window that changed its size has taken it
    return Math.max(rows > 1 ? 150 * rows : 200, named ? own / 2 : 0);
  };

  /* Drawn twice: the room that words take at a width is known once they are drawn. */
  const draw = async () => {
    if (!measured.getClientRects().length) return; // while it is printed
    const { size, shape } = width.selectedOptions[0].dataset;
    const layout = merged(structuredClone(graph.layout), ground);
    layout.template = merged(structuredClone(graph.layout.template ?? {}), template);
    layout.width = Math.round((((width.value / INCH) * 72) / size) * font);
    for (const slider of layout.sliders ?? []) merged(slider, CLEAR); // its words stay
    const plot = least(layout);
    if (!headline.checked) delete layout.title;
    await Plotly.react(measured, graph.data, layout, { staticPlot: true });
    const [above] = reach(".annotation, .xtick, .ytick, .aaxis, .baxis, .caxis");
    const [, below] = reach('.xtick, .ytick, [class^="g-"]:not(.g-gtitle), .aaxis, .baxis, .slider-container');
    const title = boxOf(".g-gtitle");
    const [t, b] = [GAP + (title.height && title.height + GAP) + above, below + GAP + boxOf(".legend").height];
    const whole = measured._fullLayout.height;
    layout.height = Math.ceil(Math.max(layout.width * shape, t + plot + b));
    Object.assign(layout.margin, { t, b });
    if (headline.checked) { // its place is that of its first line's foot where it has several
      const higher = title.top - measured.getBoundingClientRect().top - GAP;
      layout.title.y = 1 - ((1 - layout.title.y) * whole - higher) / layout.height;
    }
    await Plotly.react(measured, graph.data, layout, { staticPlot: true });
    const made = await Plotly.toImage(measured, { format: "svg", width: layout.width, height: layout.height });
    const text = decodeURIComponent(made.slice(made.indexOf(",") + 1));
    const svg = new DOMParser().parseFromString(text, SVG).documentElement;
    picture.replaceChildren(svg);
    const [across, down] = [width.value, (width.value * layout.height) / layout.width].map((cm) => `${10 * cm}mm`);
    svg.setAttribute("width", across);
    svg.setAttribute("height", down);
    const sheet = `${Math.floor(Number.parseFloat(down)) + 1}mm`; // what reaches over it begins another
    page.textContent = `
      @page { size: ${across} ${sheet}; margin: 0 }
      @media print {
        body { margin: 0; padding: 0; height: 0; max-width: none }
        body > :not(#picture) { display: none }
        #picture { position: absolute; inset: 0 auto auto 0; line-height: 0 }
        #picture svg { width: ${across}; max-width: none }
      }`;
  };

  let [drawn, asked] = [Promise.resolve()]; // one after another
  const redraw = () => {
    drawn = drawn.then(draw, draw);
  };
  for (const event of ["plotly_afterplot", "plotly_animated"]) {
    graph.on(event, () => {
      clearTimeout(asked);
      asked = setTimeout(redraw, 50);
    });
  }
  for (const choice of [width, headline]) choice.onchange = redraw;
  redraw();

  const save = {
    pdf: () => window.print(),
    svg: () => {
      const file = new Blob([new XMLSerializer().serializeToString(picture.firstElementChild)], { type: SVG });
      const link = Object.assign(document.createElement("a"), { download: `${name}.svg`, href: URL.createObjectURL(file) });
      link.click();
      URL.revokeObjectURL(link.href);
    },
    png: () => {
      const { width: across, height } = measured._fullLayout;
      Plotly.downloadImage(measured, { format: "png", filename: name, width: across, height, scale: pixels / across });
    },
  };
  for (const button of document.querySelectorAll("button[data-format]")) {
    button.onclick = () => drawn.then(save[button.dataset.format]);
  }
}
