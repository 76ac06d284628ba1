import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChangePlan, SpecChange } from '../../control-plane/changes/changed-spec.ts'
import type {
  Driver,
  Leftover,
  LogLines,
  LogRequest,
  RemoveOptions,
  StatusOptions,
} from '../../control-plane/driver/driver.ts'
import type {
  CreateRequest,
  PauseOptions,
  RestoreRequest,
} from '../../control-plane/driver/requests.ts'
import type { Operation } from '../../control-plane/driver/operation.ts'
import type { UnreadablePlane } from '../../control-plane/plane/unreadable-plane.ts'
import {
  type AnyComponentName,
  SERVING_NAMES,
  servingOf,
  type ClientCredential,
  type Endpoint,
  type Identity,
  type Plane,
} from '../../control-plane/plane/plane.ts'
import type { PlaneStatus } from '../../control-plane/status/plane-status.ts'
import { NO_PODS } from '../../control-plane/driver/plane-pods.ts'
import type { ArchivedFile } from '../../shared/files/tar.ts'
import type { Diagnosis } from '../../control-plane/driver/repair.ts'
import type { PlaneData, WantedSnapshot } from '../../control-plane/driver/snapshot.ts'
import { readPki } from './certificates/pki-files.ts'
import {
  localCertificates,
  localMetrics,
  localMoves,
  localPlaneEtcd,
  localTools,
} from './driver-parts.ts'
import { readLines } from './logs/read-log.ts'
import { trimLogs } from './logs/trim-log.ts'
import { isListening } from '../../shared/network/ports.ts'
import { holdPlane } from './store/hold-plane.ts'
import { type PlaneRecord, toPlane } from './store/plane-record.ts'
import { currentRecord, storedOf } from './store/current-record.ts'
import { toListed } from './store/plane-store.ts'
import { checkRunning } from './components/wait-for-components.ts'
import { serverOf } from './components/local-layout.ts'
import { runningComponents } from './components/running-components.ts'
import type { StartContext } from './components/start-context.ts'
import { createPlane } from './lifecycle/create-plane.ts'
import { pausePlane } from './lifecycle/pause-plane.ts'
import { reapPlanes } from './lifecycle/reap-planes.ts'
import { removePlane } from './lifecycle/remove-plane.ts'
import { readStatus } from './status/read-status.ts'

/**
 * Runs planes as processes of this machine, on its loopback address. No process of vplane stays resident: components
 * are detached, and found again by the records in the plane's folder.
 */
export class LocalDriver implements Driver {
  readonly name = 'local'
  readonly etcd: Driver['etcd']
  readonly pods = NO_PODS
  readonly certificates: Driver['certificates']
  readonly moves: Driver['moves']
  readonly metrics: Driver['metrics']
  readonly tools: Driver['tools']
  readonly #context: StartContext

  constructor(context: StartContext) {
    this.#context = context
    this.certificates = localCertificates(context)
    this.etcd = localPlaneEtcd(context)
    this.moves = localMoves(context)
    this.metrics = localMetrics(context)
    this.tools = localTools(context)
  }

  async list(): Promise<Array<Plane | UnreadablePlane>> {
    const found = await this.#context.store.list()
    return (await reapPlanes(this.#context, found)).map(toListed)
  }

  async find(name: string): Promise<Array<Plane | UnreadablePlane>> {
    const found = await this.#context.store.find(name)
    const existing = await reapPlanes(this.#context, found === undefined ? [] : [found])
    await Promise.all(existing.map(({ folder }) => trimLogs(folder)))
    return existing.map(toListed)
  }

  async create(request: CreateRequest, operation: Operation): Promise<Plane> {
    return toPlane(await createPlane(this.#context, request, operation))
  }

  async start(plane: Plane, operation: Operation): Promise<void> {
    // Code that issues certificates, which most commands do not need.
    const { resumePlane } = await import('./change/resume-plane.ts')
    await holdPlane(this.#context, { plane, kind: 'start', operation }, (record, held) =>
      resumePlane(this.#context, record, held),
    )
  }

  async plan(plane: Plane, change: SpecChange): Promise<ChangePlan> {
    const { planChange } = await import('./change/change-plane.ts')
    return planChange(this.#context, await this.#record(plane), change)
  }

  async change(plane: Plane, change: SpecChange, operation: Operation): Promise<Plane> {
    const { changePlane } = await import('./change/change-plane.ts')
    return toPlane(
      await holdPlane(this.#context, { plane, kind: 'change', operation }, (record, held) =>
        changePlane(this.#context, record, { change, operation: held }),
      ),
    )
  }

  async pause(plane: Plane, operation: Operation, options: PauseOptions = {}): Promise<void> {
    await holdPlane(this.#context, { plane, kind: 'pause', operation }, (record, held) =>
      pausePlane(this.#context, record, { ...held, ...options }),
    )
  }

  async remove(
    plane: Plane | UnreadablePlane,
    operation: Operation,
    { leaveData = false }: Pick<RemoveOptions, 'leaveData'> = {},
  ): Promise<Leftover[]> {
    await using _lock = await this.#context.store.lock(plane.name, operation)
    // A plane that is missing or unreadable is removed as far as it exists.
    await storedOf(this.#context.store, plane)
    return await removePlane(this.#context, plane.name, { ...operation, leaveData })
  }

  async isRunning(
    plane: Plane,
    components: readonly AnyComponentName[] = servingOf(plane.spec),
  ): Promise<boolean> {
    const { store, table } = this.#context
    const asked = SERVING_NAMES.filter((name) => components.includes(name))
    const folder = store.folder(plane.name)
    const running = new Set<string>(runningComponents(folder, table, asked).keys())
    return (
      components.every((name) => running.has(name)) &&
      (!components.includes('kube-apiserver') ||
        isListening((await this.#record(plane)).ports.apiServer))
    )
  }

  async status(plane: Plane, options?: StatusOptions): Promise<PlaneStatus> {
    return readStatus(this.#context, plane, options)
  }

  async endpoint(plane: Plane): Promise<Endpoint> {
    const { ports } = await this.#record(plane)
    return { server: serverOf(ports), certificateAuthority: await this.#pki(plane, 'ca.crt') }
  }

  async issueCredential(
    plane: Plane,
    identity: Identity,
    lifetimeMs: number,
  ): Promise<ClientCredential> {
    const { issueCertificate } = await import('../../pki/issue/issue-certificate.ts')
    const [certificate, key] = await Promise.all([
      this.#pki(plane, 'ca.crt'),
      this.#pki(plane, 'ca.key'),
    ])
    const { algorithm } = plane.spec.pki
    const subject = { commonName: identity.user, organizations: [...identity.groups] }
    const options = { ...subject, algorithm, lifetimeMs, now: this.#context.now() }
    return issueCertificate({ certificate, key }, { ...options, usages: ['clientAuth'] })
  }

  async checkComponents(plane: Plane): Promise<undefined> {
    await checkRunning(this.#context, plane.name, servingOf(plane.spec))
  }

  async debugFiles(plane: Plane): Promise<ArchivedFile[]> {
    const { debugFiles } = await import('./status/debug-files.ts')
    return debugFiles(this.#context.store.folder(plane.name))
  }

  async diagnose(plane: Plane, signal: AbortSignal): Promise<Diagnosis> {
    const { diagnosePlane } = await import('./repair/repair-plane.ts')
    return diagnosePlane(this.#context, await this.#record(plane), signal)
  }

  async repair(plane: Plane, operation: Operation): Promise<undefined> {
    const { repairPlane } = await import('./repair/repair-plane.ts')
    await holdPlane(this.#context, { plane, kind: 'repair', operation }, (record, held) =>
      repairPlane(this.#context, record, held),
    )
  }

  async restore(plane: Plane, request: RestoreRequest, operation: Operation): Promise<void> {
    const { restorePlane } = await import('./restore/restore-plane.ts')
    await holdPlane(this.#context, { plane, kind: 'restore', operation }, (record, held) =>
      restorePlane(this.#context, record, { ...request, operation: held }),
    )
  }

  async keys(plane: Plane): Promise<Record<string, string>> {
    const { portableFiles } = await import('../../pki/plane/portable-files.ts')
    const { name } = await this.#record(plane)
    return portableFiles(await readPki(this.#context.store.folder(name).pki))
  }

  async snapshot(plane: Plane, signal: AbortSignal, wanted?: WantedSnapshot): Promise<PlaneData> {
    const { readPlaneData } = await import('./restore/read-plane-data.ts')
    return readPlaneData(this.#context, plane, { ...wanted, signal })
  }

  logs(plane: Plane, request: LogRequest, signal: AbortSignal): AsyncIterable<LogLines> {
    const path = this.#context.store.folder(plane.name).logOf(request.component)
    return readLines(path, request, signal)
  }

  #pki({ name }: Plane, file: string): Promise<string> {
    return readFile(join(this.#context.store.folder(name).pki, file), 'utf8')
  }

  #record(plane: Plane): Promise<PlaneRecord> {
    return currentRecord(this.#context.store, plane)
  }
}
