import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureFreshBuild } from './build/fresh-build.ts'
import { createWorkspace } from '../bench/workspace.ts'
import { packageRoot } from '../src/shared/package-root.ts'
import { runInTerminal } from './record/run-in-terminal.ts'
import { toSvg } from './record/svg.ts'
import { type RecordedCommand, timelineOf } from './record/timeline.ts'

const COLUMNS = 90
const TITLE = 'A recording of vplane: create, use, pause, resume by use, delete'

const COMMANDS = [
  'vplane create dev',
  'kubectl get namespaces',
  'kubectl create configmap hello --from-literal=a=b',
  'vplane list',
  'vplane pause dev',
  'kubectl get configmap hello',
  'vplane connect dev -- kubectl version',
  'vplane delete dev --yes',
]

// `npm run record` runs these commands in a terminal and draws docs/recording.svg from what they really wrote, and when.
const root = packageRoot()
const interruption = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => interruption.abort(new Error(`interrupted by ${name}`)))
}
await ensureFreshBuild(root)
await using workspace = await createWorkspace(root, {
  environment: process.env,
  signal: interruption.signal,
})
const { environment, folder } = workspace
const recorded: RecordedCommand[] = []
for (const command of COMMANDS) {
  interruption.signal.throwIfAborted()
  console.error(command)
  const run = await runInTerminal(command, { columns: COLUMNS, environment, folder })
  recorded.push({ command, ...run })
}
mkdirSync(join(root, 'docs'), { recursive: true })
writeFileSync(
  join(root, 'docs/recording.svg'),
  toSvg(timelineOf(recorded, COLUMNS), { columns: COLUMNS, title: TITLE }),
)
