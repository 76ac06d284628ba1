import type { Result } from '../figure.ts'
import { median } from '../statistics.ts'
import { type Chart, drawChart, type Line } from './chart.ts'

interface Curves extends Omit<Chart, 'lines'> {
  /** Names of results, and of their lines. */
  of: Record<string, string>
}

const CHARTS: Curves[] = [
  { title: 'create --count --paused', unit: 'ms for each plane', of: { 'scale-create': 'create' } },
  { title: 'delete -l', unit: 'ms for each plane', of: { 'scale-delete': 'delete' } },
  { title: 'Disk', unit: 'KiB for each plane, never started', of: { 'scale-space': 'disk' } },
  {
    title: 'list and describe',
    unit: 'ms',
    of: {
      'scale-list': 'list',
      'scale-list-selected': 'list -l',
      'scale-describe': 'describe one',
    },
  },
  {
    title: 'Memory of the keeper',
    unit: 'MiB',
    of: { 'scale-keeper-rss': 'RSS', 'scale-keeper-pss': 'PSS' },
  },
  {
    title: 'CPU of the keeper at rest',
    unit: 'ms in each minute',
    of: { 'scale-keeper-cpu': 'CPU' },
  },
]

const COLUMNS = 3
const CELL = { width: 290, height: 190 }
const GAP = 20

/**
 * A picture of what `scale` measured: a chart for each figure, by the number of planes. Its background is transparent.
 *
 * @throws {Error} when the results are not those of `scale`.
 */
export function scalePicture(results: readonly Result[]): string {
  const charts = CHARTS.map(({ of, ...chart }) => ({
    ...chart,
    lines: Object.entries(of).map(([name, what]) => ({ what, points: pointsOf(results, name) })),
  }))
  const width = COLUMNS * (CELL.width + GAP) + GAP
  const height = Math.ceil(charts.length / COLUMNS) * (CELL.height + GAP) + 2 * GAP
  const title = 'Planes of one machine by their number: times, disk, and what the keeper uses'
  const body = charts.map((chart, index) =>
    drawChart(chart, {
      x: GAP + (index % COLUMNS) * (CELL.width + GAP),
      y: GAP + Math.floor(index / COLUMNS) * (CELL.height + GAP),
      ...CELL,
    }),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}">
<title>${title}</title>
<style>
text{font:12px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#7d8590}.t{font-weight:600;font-size:13px}.g{stroke:#7d8590;stroke-opacity:.3}
</style>
${body.join('\n')}
<text x="${width / 2}" y="${height - GAP / 2}" text-anchor="middle">number of planes</text>
</svg>
`
}

function pointsOf(results: readonly Result[], name: string): Line['points'] {
  const samples = results.find((result) => result.name === name)?.samples
  if (samples === undefined) {
    throw new Error(`no result is called "${name}": measure it with \`--only scale\``)
  }
  return Object.entries(samples).map(([count, of]) => [Number(count), median(of)] as const)
}
