import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ChangePlan,
  type SpecChange,
  specsAfter,
} from '../../../control-plane/changes/changed-spec.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { servingOf, type ServingName } from '../../../control-plane/plane/plane.ts'
import { ownStoreOf } from '../../../control-plane/store/store.ts'
import { createApiServerFiles } from '../../../pki/plane/plane-pki.ts'
import { apiServerSans, hasExactSans } from '../../../pki/plane/server-sans.ts'
import { packageVersion } from '../../../shared/package-root.ts'
import { writeFile } from '../../../shared/files/write-file.ts'
import { isListening } from '../../../shared/network/ports.ts'
import { componentChecksum } from '../components/component-checksum.ts'
import { runningComponents } from '../components/running-components.ts'
import type { PlaneContext, StartContext } from '../components/start-context.ts'
import { stopComponent } from '../components/stop-components.ts'
import { waitForComponents } from '../components/wait-for-components.ts'
import { startPlane } from '../lifecycle/start-plane.ts'
import { writeConfiguration } from '../components/write-plane-files.ts'
import type { PlanStep } from '../../../shared/plan-step.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import { isHalfChanged, type PlaneRecord } from '../store/plane-record.ts'

/** The steps that `changePlane` would take; none when the plane is up to date, and no change of it was interrupted. */
export async function planChange(
  context: PlaneContext,
  record: PlaneRecord,
  change: SpecChange,
): Promise<ChangePlan> {
  const wanted = { ...record, ...specsAfter(record, change) }
  const folder = context.store.folder(record.name)
  const stale = staleComponents(context, wanted)
  const running = runningComponents(folder, context.table)
  const serving = servingOf(record.spec)
  const missing = record.desired === 'paused' ? [] : serving.filter((name) => !running.has(name))
  const steps: PlanStep[] = [
    ...(!record.isBootstrapped || (await isServerNamed(wanted, folder))
      ? []
      : [{ action: 'renew-server-certificate' } as const]),
    ...serving.flatMap((component) => [
      ...(stale.includes(component) ? [{ action: 'restart-component', component } as const] : []),
      ...(missing.includes(component) ? [{ action: 'start-component', component } as const] : []),
    ]),
    ...(isHalfChanged(record) ? [{ action: 'continue-change' } as const] : []),
  ]
  return { steps, objects: [] }
}

/**
 * Stores another spec for a plane, and restarts the components that it changes. For a paused plane it only stores the
 * spec. The caller holds the plane's lock.
 *
 * @throws {VplaneError} `FAILED` when its create or a restore was interrupted.
 */
export async function changePlane(
  context: StartContext,
  record: PlaneRecord,
  { change, operation }: { change: SpecChange; operation: HeldOperation },
): Promise<PlaneRecord> {
  const specs = specsAfter(record, change)
  const { store } = context
  // Before the spec is stored, since it may take minutes, and fail.
  await context.findBinaries({ ...record, ...specs }, operation)
  await operation.begin?.('changing the spec')
  return finishChange(context, await store.update({ ...record, ...specs }), operation)
}

/** Brings the components of a plane to the spec that is stored. The caller holds the plane's lock. */
export async function finishChange(
  context: StartContext,
  changed: PlaneRecord,
  operation: HeldOperation,
): Promise<PlaneRecord> {
  const { store } = context
  const folder = store.folder(changed.name)
  await operation.begin?.('changing the components')
  if (!(await isServerNamed(changed, folder))) {
    operation.ui.step('Issuing the certificate of its API')
    await writeServerCertificate(changed, folder, context.now())
  }
  const finish = (done: PlaneRecord) => store.update({ ...done, madeBy: packageVersion() })
  if (changed.desired === 'paused') {
    return finish(changed)
  }
  await writeConfiguration(changed, folder)
  for (const component of staleComponents(context, changed).toReversed()) {
    await stopComponent(context, changed.name, { component, operation })
  }
  const started = await startPlane(context, changed, { operation, wait: true })
  await waitForPorts(context, started, operation)
  return finish(started)
}

/** Whether the certificate of a plane's API has the names that its record needs. */
async function isServerNamed({ spec }: PlaneRecord, { pki }: PlaneFolder): Promise<boolean> {
  return hasExactSans(await readFile(join(pki, 'apiserver.crt'), 'utf8'), apiServerSans(spec))
}

/** Issues the certificate of a plane's API again. A running kube-apiserver reloads it by itself. */
async function writeServerCertificate(
  { spec }: PlaneRecord,
  { pki }: PlaneFolder,
  now: Date,
): Promise<void> {
  const read = (name: string) => readFile(join(pki, name), 'utf8')
  const authority = { certificate: await read('ca.crt'), key: await read('ca.key') }
  const issuer = { authority, algorithm: spec.pki.algorithm, now }
  const files = createApiServerFiles(apiServerSans(spec), issuer, await read('apiserver.crt'))
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(pki, name), text)
  }
}

/** The components that were started with something other than the record says. */
function staleComponents({ store, table }: PlaneContext, record: PlaneRecord): ServingName[] {
  const folder = store.folder(record.name)
  const running = runningComponents(folder, table)
  return servingOf(record.spec).filter((name) => {
    const process = running.get(name)
    return process !== undefined && process.checksum !== componentChecksum(name, record, folder)
  })
}

/** Fails when a component rejects its flags: it ends before it listens. */
async function waitForPorts(
  context: PlaneContext,
  { name, ports, spec }: PlaneRecord,
  operation: Operation,
): Promise<void> {
  const ofStore = ownStoreOf(spec) === undefined ? [] : [ports.etcdClient]
  const used = [...ofStore, ports.apiServer, ports.controllerManager]
  await waitForComponents(context, name, {
    what: 'the components',
    components: servingOf(spec),
    isMet: async () => (await Promise.all(used.map((port) => isListening(port)))).every(Boolean),
    intervalMs: 20,
    operation,
  })
}
