import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alternate } from '../alternate.ts'
import { value } from '../compare.ts'
import type { Bench, Figure } from '../figure.ts'
import { median } from '../statistics.ts'

const RUNNING = ['list-0', 'list-1', 'list-2', 'list-3', 'list-4']
const PAUSED = Array.from({ length: 45 }, (_, index) => `list-${RUNNING.length + index}`)

/** How long the list of fifty planes takes. */
export const listFigure: Figure = {
  name: 'list',
  async measure(bench) {
    const { shortRounds, workspace } = bench
    const empty = { VPLANE_HOME: join(workspace.folder, 'empty') }
    const measures = {
      fifty: async () => (await workspace.vplane('list')).ms,
      none: async () => (await workspace.run(['vplane', 'list'], empty)).ms,
    }
    await makePlanes(bench)
    await alternate(2, measures)
    const samples = await alternate(shortRounds, measures)
    await workspace.vplane('delete', ...RUNNING, ...PAUSED, '--yes')
    return [
      value({
        name: 'list',
        what: '`vplane list` with 50 planes',
        unit: 'ms',
        of: 'fifty',
        target: 200,
        samples,
        notes: [
          `${RUNNING.length} of them run and answer, ${PAUSED.length} are paused`,
          `without any plane it takes ${median(samples.none).toFixed(0)} ms`,
        ],
      }),
    ]
  },
}

/** Makes five that run, and copies a paused one for the others. */
async function makePlanes({ workspace }: Bench): Promise<void> {
  const [original = '', ...copies] = PAUSED
  await workspace.vplane('create', original, '--no-connect')
  await workspace.vplane('pause', original)
  copies.forEach((name, index) => copyPlane(workspace.planes, { original, name, index }))
  for (const name of RUNNING) {
    await workspace.vplane('create', name, '--no-connect')
  }
}

/** Copies what a list looks at; etcd's data is not, and takes a hundred megabytes. */
function copyPlane(
  planes: string,
  { index, name, original }: { original: string; name: string; index: number },
): void {
  const source = join(planes, original)
  const target = join(planes, name)
  cpSync(source, target, {
    recursive: true,
    filter: (path) => !path.startsWith(join(source, 'etcd')),
  })
  const file = join(target, 'plane.json')
  const text = readFileSync(file, 'utf8')
  const record: { name: string; id: string } = JSON.parse(text)
  const copy = { ...record, name, id: `${record.id.slice(0, -2)}${String(index).padStart(2, '0')}` }
  writeFileSync(file, JSON.stringify(copy), { mode: 0o600 })
}
