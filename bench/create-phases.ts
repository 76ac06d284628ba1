import type { ComponentName } from '../src/control-plane/plane/plane.ts'
import { readProcessRecord } from '../src/shared/processes/launch/process-record.ts'
import { planeFolder } from '../src/drivers/local/store/plane-folder.ts'
import { median } from './statistics.ts'
import type { Workspace } from './workspace.ts'

/** Milliseconds by what they were spent on, in the order of the start. */
export type Phases = Record<string, number>

/** Where the time of a start went, by what is written in the plane's folder about its processes. */
export function phasesOf(
  { planes }: Workspace,
  name: string,
  { ms, startedAt }: { startedAt: number; ms: number },
): Phases {
  const folder = planeFolder(`${planes}/${name}`)
  const startOf = (component: ComponentName) =>
    Date.parse(readProcessRecord(folder.processOf(component))?.startedAt ?? '')
  const etcd = startOf('etcd')
  const apiServer = startOf('kube-apiserver')
  const controllerManager = startOf('kube-controller-manager')
  const starts = {
    'until etcd is started': etcd - startedAt,
    'until kube-apiserver is started': apiServer - etcd,
  }
  // The client of a wake has its answer before this.
  return Number.isNaN(controllerManager)
    ? { ...starts, 'until the answer': startedAt + ms - apiServer }
    : {
        ...starts,
        'until kube-controller-manager is started': controllerManager - apiServer,
        'until the plane is ready': startedAt + ms - controllerManager,
      }
}

/** The samples of each phase. */
export function byPhase(phases: readonly Phases[]): Record<string, number[]> {
  const names = Object.keys(phases[0] ?? {})
  return Object.fromEntries(
    names.map((name) => [name, phases.flatMap((sample) => sample[name] ?? [])]),
  )
}

/** The median of each phase. */
export function formatPhases(phases: readonly Phases[]): string {
  return Object.entries(byPhase(phases))
    .map(([name, samples]) => `${name} ${median(samples).toFixed(0)} ms`)
    .join(', ')
}
