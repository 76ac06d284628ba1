import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMPONENT_NAMES, type ComponentName } from '../../../src/control-plane/plane/plane.ts'
import { LocalDriver } from '../../../src/drivers/local/local-driver.ts'
import { choosePorts } from '../../../src/drivers/local/store/choose-ports.ts'
import { endProcesses } from '../../../src/shared/processes/end-processes.ts'
import { writeProcessRecord } from '../../../src/shared/processes/launch/process-record.ts'
import { processTableOf } from '../../../src/shared/processes/process-table-of.ts'
import type { ProcessTable } from '../../../src/shared/processes/process-table.ts'
import { runningComponents } from '../../../src/drivers/local/components/running-components.ts'
import type { StartContext } from '../../../src/drivers/local/components/start-context.ts'
import type { PlaneFolder } from '../../../src/drivers/local/store/plane-folder.ts'
import type { PlaneRecord } from '../../../src/drivers/local/store/plane-record.ts'
import { PlaneStore } from '../../../src/drivers/local/store/plane-store.ts'
import type { Environment } from '../../../src/shared/environment.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { RecordingUi } from '../../support/driver/recording-ui.ts'
import { planeRecordOf } from './plane-record-of.ts'

const SCRIPT = fileURLToPath(new URL('./fake-component.ts', import.meta.url))

/** A machine with its own store and components. Disposing it ends their processes and deletes their files. */
export interface FakeMachine extends AsyncDisposable {
  root: string
  binDir: string
  store: PlaneStore
  table: ProcessTable
  context: StartContext
  driver: LocalDriver
  ui: RecordingUi
  operation: { ui: RecordingUi; signal: AbortSignal }
  /**
   * Sets what a component does at its next starts: `serve` (the default), `idle` (run and never listen),
   * `listen and die` (of etcd: at its first client, before it has data), or `die MESSAGE`. The last one is repeated.
   */
  script(component: ComponentName, ...behaviours: string[]): void
  /** Stores a plane without processes, on free ports. */
  add(name: string, fields?: Partial<PlaneRecord>): Promise<PlaneRecord>
  /** Waits until there are this many starts, and stops by a signal, of components, and returns them in order. */
  starts(count: number): Promise<string[]>
  /** Ids of the recorded processes that are alive, by component. */
  processIds(name: string): Partial<Record<ComponentName, number>>
  /** Makes it look as if the components of a plane had run for an hour. */
  age(name: string): Promise<void>
  /** Ids of all processes of this machine, recorded or not. */
  allProcessIds(): number[]
  folder(name: string): PlaneFolder
}

export function fakeMachine(options: { environment?: Environment } = {}): FakeMachine {
  const root = mkdtempSync(join(tmpdir(), 'vplane-machine-'))
  const binDir = join(root, 'bin')
  const table = processTableOf(process.platform)
  const store = new PlaneStore(join(root, 'data'))
  const ui = new RecordingUi()
  const context: StartContext = {
    store,
    table,
    environment: options.environment ?? {},
    now: () => new Date(),
    findBinaries: () => Promise.resolve(binariesIn(binDir)),
    findEtcd: () => Promise.resolve(join(binDir, 'etcd')),
    findEtcdutl: () => Promise.resolve(join(binDir, 'etcdutl')),
  }
  const allProcessIds = () =>
    table.findByCommand((words) => words.some((word) => word.includes(`${root}/`)))
  mkdirSync(binDir)
  for (const binary of Object.values(binariesIn(binDir))) {
    const run = `exec '${process.execPath}' '${SCRIPT}' '${binary}' "$@"`
    const note = `echo "\${0##*/}" >> '${join(binDir, 'starts')}'`
    writeFileSync(binary, `#!/bin/sh\n${note}\n${run}\n`, { mode: 0o755 })
    writeFileSync(`${binary}.does`, 'serve')
  }
  return {
    root,
    binDir,
    store,
    table,
    context,
    driver: new LocalDriver(context),
    ui,
    operation: { ui, signal: new AbortController().signal },
    script: (component, ...behaviours) =>
      writeFileSync(join(binDir, `${component}.does`), behaviours.join('\n')),
    add: async (name, fields) =>
      store.add(planeRecordOf(name, { ports: await choosePorts(new Set()), ...fields })),
    starts: (count) =>
      waitFor(
        () => {
          const starts = readStarts(join(binDir, 'starts'))
          return Promise.resolve(starts.length >= count && starts)
        },
        { what: `${count} starts`, timeoutMs: 5000, intervalMs: 5 },
      ),
    processIds: (name) =>
      Object.fromEntries(
        [...runningComponents(store.folder(name), table)].map(([component, { processId }]) => [
          component,
          processId,
        ]),
      ),
    age: async (name) => {
      const folder = store.folder(name)
      const startedAt = new Date(Date.now() - 3_600_000).toISOString()
      for (const [component, process] of runningComponents(folder, table)) {
        await writeProcessRecord(folder.processOf(component), { ...process, startedAt })
      }
    },
    allProcessIds,
    folder: (name) => store.folder(name),
    [Symbol.asyncDispose]: async () => {
      const processes = allProcessIds().map((processId) => ({
        processId,
        startTime: table.startTimeOf(processId) ?? '',
      }))
      const { signal } = new AbortController()
      await endProcesses(processes, { table, signal, graceMs: 0 })
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function binariesIn(folder: string): Record<ComponentName, string> {
  const [etcd, apiServer, controllerManager] = COMPONENT_NAMES
  return {
    [etcd]: join(folder, etcd),
    [apiServer]: join(folder, apiServer),
    [controllerManager]: join(folder, controllerManager),
  }
}

function readStarts(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trim().split('\n')
  } catch {
    // Nothing was started yet.
    return []
  }
}
