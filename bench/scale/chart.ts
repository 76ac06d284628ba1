/** A line of a chart: what was measured for each number of planes. */
export interface Line {
  what: string
  points: ReadonlyArray<readonly [count: number, value: number]>
}

export interface Chart {
  title: string
  unit: string
  lines: readonly Line[]
}

interface Place {
  x: number
  y: number
  width: number
  height: number
}

/** Of the area for lines, within the place of a chart. */
const MARGIN = { left: 52, right: 12, top: 48, bottom: 24 }

/** Each is legible on white and on black. */
const COLORS = ['#3f87d9', '#d9822b', '#2f9e6b']

/** A chart as parts of an SVG. The number of planes is on a logarithmic axis, and the other axis begins at zero. */
export function drawChart({ lines, title, unit }: Chart, place: Place): string {
  const left = place.x + MARGIN.left
  const right = place.x + place.width - MARGIN.right
  const top = place.y + MARGIN.top
  const bottom = place.y + place.height - MARGIN.bottom
  const counts = [...new Set(lines.flatMap(({ points }) => points.map(([count]) => count)))]
  const step = roundUp(Math.max(...lines.flatMap(({ points }) => points.map(([, one]) => one))) / 3)
  const most = Math.log10(Math.max(...counts, 10))
  const xOf = (count: number) => rounded(left + (Math.log10(count) / most) * (right - left))
  const yOf = (value: number) => rounded(bottom - (value / (3 * step)) * (bottom - top))
  const grid = [0, step, 2 * step, 3 * step].flatMap((value) => [
    `<path class="g" d="M${left} ${yOf(value)}H${right}"/>`,
    `<text x="${left - 6}" y="${yOf(value) + 4}" text-anchor="end">${formatted(value)}</text>`,
  ])
  const ticks = counts.map(
    (count) =>
      `<text x="${xOf(count)}" y="${bottom + 16}" text-anchor="middle">${formatted(count)}</text>`,
  )
  const curves = lines.flatMap(({ points }, index) => {
    const color = COLORS[index % COLORS.length]
    const path = points.map(([count, value]) => `${xOf(count)} ${yOf(value)}`).join('L')
    return [
      `<path d="M${path}" fill="none" stroke="${color}" stroke-width="2"/>`,
      ...points.map(
        ([count, value]) => `<circle cx="${xOf(count)}" cy="${yOf(value)}" r="3" fill="${color}"/>`,
      ),
    ]
  })
  const names = lines.map(
    ({ what }, index) => `<tspan fill="${COLORS[index % COLORS.length]}">${escape(what)}</tspan>`,
  )
  const legend = lines.length > 1 ? ` · ${names.join(' · ')}` : ''
  return [
    `<text class="t" x="${place.x}" y="${place.y + 14}">${escape(title)}</text>`,
    `<text x="${place.x}" y="${place.y + 30}">${escape(unit)}${legend}</text>`,
    ...grid,
    ...ticks,
    ...curves,
  ].join('\n')
}

/** The next of 1, 2, 2.5, 5 and their multiples by ten. */
function roundUp(value: number): number {
  const unit = value > 0 ? 10 ** Math.floor(Math.log10(value)) : 1
  return ([1, 2, 2.5, 5].find((factor) => factor * unit >= value) ?? 10) * unit
}

function formatted(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 })
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
