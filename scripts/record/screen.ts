/** How a run of characters looks. */
export interface Style {
  color?: Color
  isBold?: boolean
  isDim?: boolean
}

export type Color = 'black' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'white'

/** Characters of one style, side by side. */
export interface Span extends Style {
  column: number
  text: string
}

const COLORS: Color[] = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']

const ESCAPE = '\u001B'
const BELL = '\u0007'

/** Something a program wrote: a control sequence, or a character as it is. */
const TOKEN = new RegExp(
  [
    `${ESCAPE}\\[([?>=!]?)([\\d;]*)([@-~])`,
    `${ESCAPE}\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)`,
    `${ESCAPE}[^[\\]]`,
    `[^${ESCAPE}]`,
  ].join('|'),
  'gu',
)

/** A control sequence that is not complete yet. */
const CUT = new RegExp(`${ESCAPE}(?:\\[[\\d;?>=!]*|\\][^${BELL}${ESCAPE}]*)?$`, 'u')

interface Cell extends Style {
  character: string
}

const BLANK: Cell = { character: ' ' }

/** A terminal without an end: what programs write to it, and how it looks then. */
export class Screen {
  readonly #lines: Cell[][] = [[]]
  readonly #columns: number
  #row = 0
  #column = 0
  #style: Style = {}
  #rest = ''

  constructor(columns: number) {
    this.#columns = columns
  }

  /** Takes what a program wrote. A control sequence may be cut anywhere. */
  write(data: string): void {
    const text = this.#rest + data
    const cut = CUT.exec(text)
    this.#rest = cut?.[0] ?? ''
    for (const [token, prefix, numbers = '', command] of text
      .slice(0, cut?.index)
      .matchAll(TOKEN)) {
      if (command === undefined) {
        this.#put(token)
      } else if (prefix === '') {
        this.#control(command, numbers.split(';').map(Number))
      }
    }
  }

  /** The lines as they are now, without blanks at their ends. */
  lines(): Span[][] {
    return this.#lines.map((line) => toSpans(line))
  }

  #put(token: string): void {
    if (token === '\r') {
      this.#column = 0
    } else if (token === '\n') {
      this.#moveTo(this.#row + 1, this.#column)
    } else if (token === '\b') {
      this.#column = Math.max(0, this.#column - 1)
    } else if (token === '\t') {
      this.#column = Math.min(this.#columns - 1, (this.#column >> 3) * 8 + 8)
    } else if (token >= ' ') {
      if (this.#column >= this.#columns) {
        this.#moveTo(this.#row + 1, 0)
      }
      this.#line()[this.#column] = { character: token, ...this.#style }
      this.#column += 1
    }
  }

  #control(command: string, [first = 0, ...others]: number[]): void {
    const count = Math.max(1, first)
    switch (command) {
      case 'A':
        return this.#moveTo(this.#row - count, this.#column)
      case 'B':
        return this.#moveTo(this.#row + count, this.#column)
      case 'C':
        return this.#moveTo(this.#row, this.#column + count)
      case 'D':
        return this.#moveTo(this.#row, this.#column - count)
      case 'G':
        return this.#moveTo(this.#row, count - 1)
      case 'J':
        this.#lines.splice(this.#row + 1)
        return this.#eraseLine(first)
      case 'K':
        return this.#eraseLine(first)
      case 'm':
        return this.#paint([first, ...others])
    }
  }

  #moveTo(row: number, column: number): void {
    this.#row = Math.max(0, row)
    this.#column = Math.max(0, column)
    while (this.#lines.length <= this.#row) {
      this.#lines.push([])
    }
  }

  #eraseLine(which: number): void {
    const line = this.#line()
    if (which === 1) {
      line.splice(0, this.#column, ...line.slice(0, this.#column).map(() => BLANK))
    } else {
      line.splice(which === 2 ? 0 : this.#column)
    }
  }

  #paint(codes: readonly number[]): void {
    for (const code of codes) {
      const color = COLORS[code % 10]
      if (code === 0) {
        this.#style = {}
      } else if (code === 1) {
        this.#style = { ...this.#style, isBold: true }
      } else if (code === 2) {
        this.#style = { ...this.#style, isDim: true }
      } else if (code === 22) {
        const { color: kept } = this.#style
        this.#style = kept === undefined ? {} : { color: kept }
      } else if (code === 90) {
        this.#style = { ...this.#style, isDim: true }
      } else if (code === 39) {
        const { color: _gone, ...kept } = this.#style
        this.#style = kept
      } else if (color !== undefined && /^(3|9)[0-7]$/.test(String(code))) {
        this.#style = { ...this.#style, color }
      }
    }
  }

  #line(): Cell[] {
    const line = (this.#lines[this.#row] ??= [])
    while (line.length < this.#column) {
      line.push(BLANK)
    }
    return line
  }
}

function toSpans(line: readonly Cell[]): Span[] {
  const spans: Span[] = []
  line.forEach(({ character, ...style }, column) => {
    const last = spans.at(-1)
    if (last !== undefined && isSame(last, style)) {
      last.text += character
    } else {
      spans.push({ column, text: character, ...style })
    }
  })
  return spans
    .map((span) => ({ ...span, text: span.text.trimEnd() }))
    .filter(({ text }) => text !== '')
}

function isSame(left: Style, right: Style): boolean {
  return left.color === right.color && left.isBold === right.isBold && left.isDim === right.isDim
}
