// Sorting and filtering of the table of rows, and the choice of colours. What is chosen stands in
// the address (#sort=n&filter=double), so that a view can be kept and sent.
"use strict";
(() => {
  const table = document.getElementById("table");
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  const form = document.getElementById("controls");
  const filter = document.getElementById("filter");
  const all = document.getElementById("all");
  const shown = document.getElementById("shown");
  const rest = document.getElementById("rest");
  const mostRows = 500; // at first: a browser takes seconds to lay out thousands
  const choices = new Map(); // column -> its <select>
  const lines = [...body.rows].map((row, place) => ({
    row, place, words: row.textContent.toLowerCase(), cells: row.cells,
  }));
  let sorted = { column: "", descending: false };
  let limit = mostRows;

  const columnOf = (name) => headings.findIndex((heading) => heading.dataset.column === name);
  const valueOf = (line, column) => line.cells[column].dataset.v ?? line.cells[column].textContent;

  // ---- sorting ----

  // Empty cells come last either way.
  const compare = (a, b, numeric, sign) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    const order = numeric ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true });
    return sign * (order || 0);
  };

  const sortRows = () => {
    const column = columnOf(sorted.column);
    const sign = sorted.descending ? -1 : 1;
    headings.forEach((heading, index) => {
      if (index === column) heading.ariaSort = sorted.descending ? "descending" : "ascending";
      else heading.removeAttribute("aria-sort");
    });
    if (column < 0) {
      if (lines.every((line, place) => line.place === place)) return;
      lines.sort((a, b) => a.place - b.place);
    } else {
      const numeric = "number" in headings[column].dataset;
      const keyed = lines.map((line) => ({ line, value: valueOf(line, column) }));
      keyed.sort((a, b) => compare(a.value, b.value, numeric, sign) || a.line.place - b.line.place);
      lines.splice(0, lines.length, ...keyed.map((pair) => pair.line));
    }
    body.append(...lines.map((line) => line.row));
  };

  // ---- filtering ----

  const filterRows = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = [...choices].filter(([, select]) => select.value !== "")
      .map(([name, select]) => [columnOf(name), select.value]);
    let count = 0;
    for (const line of lines) {
      const fits = words.every((word) => line.words.includes(word)) &&
        wanted.every(([column, value]) => line.cells[column].textContent === value);
      count += fits;
      line.row.hidden = !fits || count > limit;
    }
    shown.textContent = `${count} of ${lines.length} rows`;
    rest.hidden = count <= limit;
    rest.textContent = `The first ${limit} are shown: show all ${count}`;
    table.classList.toggle("whole", all.checked);
  };

  const showAll = () => {
    limit = Infinity;
    filterRows();
  };

  // ---- the address ----

  // A link to a section is no state of the table: there is no "=" in it.
  const readAddress = () => {
    const state = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    filter.value = state.get("filter") ?? "";
    all.checked = state.get("columns") === "all";
    sorted = { column: state.get("sort") ?? "", descending: state.get("order") === "descending" };
    for (const [name, select] of choices) select.value = state.get(name) ?? "";
    for (const select of choices.values()) if (select.selectedIndex < 0) select.value = "";
  };

  const writeAddress = () => {
    const state = new URLSearchParams();
    if (sorted.column) state.set("sort", sorted.column);
    if (sorted.column && sorted.descending) state.set("order", "descending");
    if (filter.value) state.set("filter", filter.value);
    if (all.checked) state.set("columns", "all");
    for (const [name, select] of choices) if (select.value) state.set(name, select.value);
    history.replaceState(null, "", `#${state.toString() || "rows"}`);
  };

  const showAddress = () => {
    readAddress();
    sortRows();
    filterRows();
  };

  // ---- controls ----

  const addSortButtons = () => {
    for (const heading of headings) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = heading.dataset.heading = heading.textContent;
      button.addEventListener("click", () => {
        const name = heading.dataset.column;
        sorted = { column: name, descending: sorted.column === name && !sorted.descending };
        sortRows();
        filterRows();
        writeAddress();
      });
      heading.replaceChildren(button);
    }
  };

  // A list for each column that has a few values to choose from.
  const addChoices = () => {
    headings.forEach((heading, column) => {
      if (!("choice" in heading.dataset)) return;
      const numeric = "number" in heading.dataset;
      const values = [...new Set(lines.map((line) => line.cells[column].textContent))]
        .filter(Boolean).sort((a, b) => compare(a, b, numeric, 1));
      if (values.length < 2 || values.length > 60) return;
      const label = document.createElement("label");
      const select = document.createElement("select");
      select.append(new Option("all", ""), ...values.map((value) => new Option(value, value)));
      label.append(heading.textContent, select);
      document.getElementById("choices").append(label);
      choices.set(heading.dataset.column, select);
    });
  };

  const listen = () => {
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => { filterRows(); writeAddress(); });
    form.addEventListener("reset", () => setTimeout(() => { filterRows(); writeAddress(); }));
    addEventListener("hashchange", () => { if (location.hash.includes("=")) showAddress(); });
    rest.addEventListener("click", () => {
      showAll();
      body.parentElement.parentElement.focus(); // the button is gone
    });
    // Paper shows what is folded, and all rows that fit.
    addEventListener("beforeprint", () => {
      showAll();
      for (const folded of document.querySelectorAll("#failures details, #winners details, #figures details, #rows details")) {
        folded.open = true;
      }
    });
  };

  // ---- colours ----

  const themes = { "": "as the system", light: "light", dark: "dark" };

  const showTheme = (button, theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    button.textContent = `Colours: ${themes[theme]}`;
  };

  // A browser may refuse storage to a file: the choice then lasts as long as the page.
  const kept = {
    read: () => { try { return localStorage.getItem("pairmark-theme") ?? ""; } catch { return ""; } },
    write: (theme) => { try { localStorage.setItem("pairmark-theme", theme); } catch { /* as said */ } },
  };

  const addTheme = () => {
    const button = document.getElementById("theme");
    const names = Object.keys(themes);
    let theme = names.includes(kept.read()) ? kept.read() : "";
    showTheme(button, theme);
    button.hidden = false;
    button.addEventListener("click", () => {
      theme = names[(names.indexOf(theme) + 1) % names.length];
      showTheme(button, theme);
      kept.write(theme);
    });
  };

  addChoices();
  addSortButtons();
  addTheme();
  form.hidden = false;
  listen();
  showAddress();
  table.classList.add("ready");
  if (location.hash.includes("=")) document.getElementById("rows").scrollIntoView();
})();
