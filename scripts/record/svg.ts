import type { Color, Span } from './screen.ts'
import type { Shown, Timeline, Typed } from './timeline.ts'

const FONT_SIZE = 14
const CELL = { width: 8.4, height: 20 }
const MARGIN = { x: 20, top: 52, bottom: 18 }

/** How long the finished recording is shown before it begins again. */
const HOLD_MS = 9000

const BACKGROUND = '#16181d'
const COLORS: Record<Color, string> = {
  black: '#5c6370',
  red: '#e8737f',
  green: '#8fce7e',
  yellow: '#e5c07b',
  blue: '#6cb6f5',
  magenta: '#c792ea',
  cyan: '#5ccfd6',
  white: '#e6e8eb',
}

/**
 * An SVG that plays a timeline again and again, without scripts and fonts of its own. It begins with the last picture,
 * and stays with it where nothing is animated.
 */
export function toSvg(timeline: Timeline, { columns, title }: { columns: number; title: string }) {
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN.x)
  const height = timeline.rows * CELL.height + MARGIN.top + MARGIN.bottom
  const loopMs = timeline.ms + HOLD_MS
  const moments = new Moments(loopMs)
  const body = [
    ...timeline.typed.map((typed) => command(typed, moments)),
    ...timeline.shown.map((shown) => line(shown, moments)),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">
<title>${escape(title)}</title>
<style>
text{font:${FONT_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:${COLORS.white}}
.b{font-weight:600}.d{opacity:.55}${Object.entries(COLORS)
    .map(([name, value]) => `.${name}{fill:${value}}`)
    .join('')}
.a,.i{animation:${seconds(loopMs)} step-end ${seconds(HOLD_MS / 2 - loopMs)} infinite}.i,.c{opacity:0}
.c{animation:${seconds(loopMs)} linear ${seconds(HOLD_MS / 2 - loopMs)} infinite}
${moments.css()}
@media (prefers-reduced-motion:reduce){.a,.i,.c{animation:none}}
</style>
<rect width="${width}" height="${height}" rx="10" fill="${BACKGROUND}"/>
<g fill="#3a3f4b"><circle cx="24" cy="22" r="6"/><circle cx="44" cy="22" r="6"/><circle cx="64" cy="22" r="6"/></g>
${body.join('\n')}
</svg>
`
}

/** A prompt, and a command that comes out below a cover that moves along as it is typed. */
function command({ fromMs, promptAtMs, row, text, untilMs }: Typed, moments: Moments): string {
  const indent = 2
  const cover = {
    x: number(xOf(indent)),
    y: number(yOf(row) - CELL.height + 5),
    width: number((text.length + 1) * CELL.width),
    height: CELL.height,
  }
  const attributes = Object.entries(cover)
    .map(([name, value]) => `${name}="${value}"`)
    .join(' ')
  const prompt = { column: 0, text: '$', color: 'green' } as const
  return [
    `<g class="a" style="animation-name:${moments.visible(promptAtMs)}">${spanText(prompt, row)}</g>`,
    `<g class="a" style="animation-name:${moments.visible(fromMs)}">${spanText({ column: indent, text, isBold: true }, row)}</g>`,
    `<rect class="c" ${attributes} fill="${BACKGROUND}" style="animation-name:${moments.moving({ fromMs, untilMs, steps: text.length })}"/>`,
  ].join('')
}

/** The last content of a line is visible without animation too; earlier content is not. */
function line({ fromMs, row, spans, untilMs }: Shown, moments: Moments): string {
  const texts = spans.map((span) => spanText(span, row)).join('')
  const name = moments.visible(fromMs, untilMs)
  return `<g class="${untilMs === undefined ? 'a' : 'i'}" style="animation-name:${name}">${texts}</g>`
}

/** Words that stand apart have a place and a length of their own: columns stand in line with any font. */
function spanText({ color, column, isBold, isDim, text }: Span, row: number): string {
  const classes = [isBold === true && 'b', isDim === true && 'd', color].filter(
    (name) => name !== false && name !== undefined,
  )
  const kind = classes.length > 0 ? ` class="${classes.join(' ')}"` : ''
  return [...text.matchAll(/\S+(?: \S+)*/gu)]
    .map(({ 0: words, index }) => {
      const length = number(words.length * CELL.width)
      return `<text x="${number(xOf(column + index))}" y="${yOf(row)}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${kind}>${escape(words)}</text>`
    })
    .join('')
}

/** The keyframes of a recording; what happens at the same time has the same ones. */
class Moments {
  readonly #loopMs: number
  readonly #rules = new Map<string, string>()

  constructor(loopMs: number) {
    this.#loopMs = loopMs
  }

  visible(fromMs: number, untilMs?: number): string {
    const end = untilMs === undefined ? '' : `${this.#at(untilMs)}{opacity:0}`
    return this.#name(`0%{opacity:0}${this.#at(fromMs)}{opacity:1}${end}`)
  }

  /** A cover that is visible while it moves by its own width, in steps. */
  moving({ fromMs, steps, untilMs }: { fromMs: number; untilMs: number; steps: number }): string {
    const [from, until] = [this.#at(fromMs), this.#at(untilMs)]
    return this.#name(
      `0%{opacity:0;animation-timing-function:step-end}${from}{opacity:1;transform:none;animation-timing-function:steps(${steps})}${until}{opacity:1;transform:translateX(${number(steps * CELL.width)}px);animation-timing-function:step-end}${this.#at(untilMs + 1)},to{opacity:0}`,
    )
  }

  css(): string {
    return [...this.#rules].map(([rule, name]) => `@keyframes ${name}{${rule}}`).join('\n')
  }

  #at(ms: number): string {
    return `${number(Math.max(0.001, (ms / this.#loopMs) * 100))}%`
  }

  #name(rule: string): string {
    const name = this.#rules.get(rule) ?? `k${this.#rules.size}`
    this.#rules.set(rule, name)
    return name
  }
}

function xOf(column: number): number {
  return MARGIN.x + column * CELL.width
}

function yOf(row: number): number {
  return MARGIN.top + row * CELL.height + FONT_SIZE
}

function seconds(ms: number): string {
  return `${number(ms / 1000)}s`
}

function number(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
