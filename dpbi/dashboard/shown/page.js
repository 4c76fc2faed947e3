/* What Streamlit leaves to a page of the app. The listeners outlive the page that brought them: they are put up once.
   A page calls one of the functions by window.dpbi.push([name, ...arguments]), before this script has come or after. */
if (!window.dpbi?.ready) {
  const PANE = '[data-testid="stMain"]';
  const FOLDING = '[data-collapsed="false"] [data-testid="stSidebarCollapseButton"] button';
  const CAMERA = '[data-title^="Download plot"]';
  const ACT = ".st-key-act, .st-key-clouds-keys"; // what a scene asks for, by keys of its own
  const places = {};
  let talking = false;
  let look = {};

  const chord = (event) => event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;

  /* Pages scroll in a pane, which keys move only once it was clicked: a talk begins without a click. */
  document.addEventListener("keydown", (event) => {
    const pane = document.querySelector(PANE);
    const screen = 0.9 * innerHeight;
    const ways = { ArrowDown: 60, ArrowUp: -60, PageDown: screen, PageUp: -screen, " ": screen, Home: -1e7, End: 1e7 };
    const way = ways[event.key];
    if ((event.key === " " || event.key.startsWith("Arrow")) && document.querySelector(ACT)) return;
    if (!way || !pane || chord(event) || !event.isTrusted || event.target !== document.body) return;
    event.preventDefault();
    pane.scrollBy(0, way);
  });

  /* A button has one key with Streamlit, and a clicker sends others: on the tour they are told to the page as the arrows
     they stand for. So are the arrows from a switch, where they mean nothing and Streamlit takes them for typed in. Space
     presses what has the focus, if anything has. */
  const BACK = "ArrowLeft";
  const ON = "ArrowRight";
  const steps = { PageUp: BACK, PageDown: ON, " ": ON, [BACK]: BACK, [ON]: ON };
  document.addEventListener("keydown", (event) => {
    const key = steps[event.key];
    const at = event.target;
    if (!event.isTrusted || !key || chord(event) || !document.querySelector(".st-key-tour-steps")) return;
    if (key === event.key && !at.matches?.("input[type=checkbox]")) return;
    if (event.key === " " && (document.querySelector(ACT) || (at !== document.body && !at.matches("main, section")))) {
      return;
    }
    if (at.closest?.("input:not([type=checkbox]), textarea, [role=dialog], [role=menu]")) return;
    event.preventDefault();
    event.stopPropagation();
    for (const kind of ["keydown", "keyup"]) { // a key that stays down would be one of a chord
      document.body.dispatchEvent(new KeyboardEvent(kind, { key, code: key, bubbles: true }));
    }
  }, true);

  /* A formula that scrolls must be reached by the keyboard; it is drawn after the page, and wide by the window's measure
     and its own letters, which are read last. Up to 4 pixels of a last letter may lean out of its box. */
  const reach = () => {
    for (const formula of document.querySelectorAll(".katex-display")) {
      formula.tabIndex = formula.scrollWidth > formula.offsetWidth + 4 ? 0 : -1;
    }
  };
  new MutationObserver(reach).observe(document.body, { childList: true, subtree: true });
  addEventListener("resize", reach);
  document.fonts.addEventListener("loadingdone", reach);

  /* On a telephone the menu lies over the page that is chosen in it. */
  document.addEventListener("click", (event) => {
    const chosen = event.target.closest?.('[data-testid="stSidebar"] [data-testid="stPageLink"] a');
    if (chosen && innerWidth < 768) document.querySelector(FOLDING)?.click();
  });

  /* The page's plotly is out of reach, but for the mode bar's camera, which reads all it needs of the graph at once when
     it is pressed: it is pressed on a graph that is light, opaque and of a slide's size for that moment. A press of the
     camera by hand, in full screen too, comes to the same. No button's press reaches the server. */
  const take = (graph, format) => {
    const { layout, size } = pictured(graph, look);
    const kept = [graph.layout, graph._context.toImageButtonOptions];
    graph.layout = layout;
    graph._context.toImageButtonOptions = { ...kept[1], format, ...size };
    try {
      graph.querySelector(CAMERA).click();
    } finally {
      [graph.layout, graph._context.toImageButtonOptions] = kept;
    }
  };
  document.addEventListener("click", (event) => {
    const camera = event.isTrusted && event.target.closest?.(CAMERA);
    const button = event.target.closest?.("button")?.closest('[class*="st-key-picture-"]');
    if (!camera && !button) return;
    event.stopPropagation();
    if (camera) return take(camera.closest(".js-plotly-plot"), "svg");
    const [, format, name] = button.className.match(/st-key-picture-(\w+)--(\S+)/);
    const graph = document.querySelector(`.st-key-chart--${name} .js-plotly-plot`);
    if (graph) take(graph, format);
  }, true);

  const functions = {
    /* As dpbi/figures/picture.py has it. */
    pictures(given) {
      look = given;
    },

    /* Talk mode begins with the sidebar folded, also where the browser remembers that it was unfolded by hand: that
       stays remembered, for the pages without talk mode. */
    talk(on) {
      const began = on && !talking;
      talking = on;
      const kept = Object.keys(localStorage).find((key) => key.startsWith("stSidebarCollapsed"));
      if (!began || localStorage[kept] !== "false") return;
      (function fold(rest) {
        const button = document.querySelector(FOLDING);
        button?.click();
        if (button) setTimeout(() => localStorage.setItem(kept, "false"), 500);
        else if (rest) setTimeout(fold, 100, rest - 1);
      })(50);
    },

    /* Opens a page, or a part that takes the place of another, at its top: Streamlit leaves the pane as far down as it
       was. of: what it is, name: which. */
    toTheTop(of, name) {
      if (places[of] !== name) document.querySelector(PANE)?.scrollTo(0, 0);
      places[of] = name;
    },

    /* Brings the container of a key into sight, once what is sought in it is drawn. The page comes in pieces: a part's
       place is known once it is drawn, and all above it a second later. */
    intoSight(key, drawn) {
      (function seek(rest) {
        const part = document.querySelector(`.st-key-${key}`);
        const there = part?.querySelector(drawn);
        if (there) part.scrollIntoView({ block: "nearest" });
        if (rest) setTimeout(seek, 100, there ? Math.min(rest, 10) - 1 : rest - 1);
      })(300);
    },

    /* Writes the page's address, without a step of the browser's history. */
    address(query) {
      history.replaceState(history.state, "", location.pathname + query + location.hash);
    },

    askBeforeLeaving(ask) {
      window.onbeforeunload = ask ? (event) => { event.preventDefault(); event.returnValue = true; } : null;
    },
  };

  const push = ([name, ...given]) => functions[name](...given);
  const waiting = window.dpbi ?? [];
  window.dpbi = { ready: true, push };
  waiting.forEach(push);
}
