"""Reads a flame graph as data, from its XML alone, without its script."""

import xml.etree.ElementTree as ET

NS = "{http://www.w3.org/2000/svg}"


class Box:
    def __init__(self, g, unit):
        rect = g.find(NS + "rect")
        text = g.find(NS + "text")
        title = g.find(NS + "title").text
        self.title = title
        # The name ends at the first " (" of " (N unit, P%...)", from the right.
        at = title.rfind(" (")
        for _ in range(unit.count(" (")):
            at = title.rfind(" (", 0, at)
        self.name = title[:at]
        self.kind = g.get("class").split()[1]
        self.n = int(g.get("data-n"))
        self.self = int(g.get("data-s"))
        self.x, self.y, self.width = (float(rect.get(k)) for k in ("x", "y", "width"))
        self.text = None if text is None else text.text
        self.parent = None
        self.children = []


class Picture:
    def __init__(self, path):
        self.root = ET.parse(path).getroot()
        self.frames = next((g for g in self.root.iter(NS + "g")
                            if g.get("class") == "frames"), None)
        self.boxes = []
        if self.frames is None:
            return
        get = self.frames.get
        self.total = int(get("data-total"))
        self.x, self.width, self.top, self.row, self.levels = (
            int(get("data-" + k)) for k in ("x", "width", "top", "row", "levels"))
        self.icicle = get("data-icicle") == "1"
        self.unit = get("data-unit")
        self.boxes = [Box(g, self.unit) for g in self.frames]
        self._link()

    def level(self, box):
        row = round((box.y - self.top) / self.row)
        return row if self.icicle else self.levels - 1 - row

    def _link(self):
        path = []
        for index, box in enumerate(self.boxes):
            box.index = index
            box.level = self.level(box)
            del path[box.level:]
            if path:
                box.parent = path[-1]
                box.parent.children.append(box)
            path.append(box)

    def below(self, box):
        """The box and all boxes below it."""
        found, todo = [], [box]
        while todo:
            found.append(todo.pop())
            todo.extend(found[-1].children)
        return found

    def matched(self, test):
        """Weight of the stacks with a match, and the number of boxes that do."""
        weight, todo = 0, list(self.boxes[0].children)
        while todo:
            box = todo.pop()
            if test(box.name):
                weight += box.n
            else:
                todo.extend(box.children)
        return weight, sum(1 for b in self.boxes[1:] if test(b.name))
