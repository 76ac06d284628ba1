import type { ChangePlan, SpecChange } from '../../control-plane/changes/changed-spec.ts'
import type {
  Driver,
  LogLines,
  LogRequest,
  LookupScope,
  StatusOptions,
} from '../../control-plane/driver/driver.ts'
import type {
  CreateRequest,
  PauseOptions,
  RestoreRequest,
} from '../../control-plane/driver/requests.ts'
import type { SwitchOperation } from '../../control-plane/driver/sync-steps.ts'
import type { EndpointOptions } from '../../control-plane/driver/endpoint-options.ts'
import type { Operation } from '../../control-plane/driver/operation.ts'
import type { UnreadablePlane } from '../../control-plane/plane/unreadable-plane.ts'
import {
  type AnyComponentName,
  type ClientCredential,
  type Endpoint,
  type Identity,
  type Plane,
  servingOf,
} from '../../control-plane/plane/plane.ts'
import { readLimit } from './host/host-api.ts'
import type { PlaneStatus } from '../../control-plane/status/plane-status.ts'
import type { Diagnosis } from '../../control-plane/driver/repair.ts'
import { isName } from '../../control-plane/plane/names.ts'
import { isVplaneError, messageOf } from '../../shared/errors.ts'
import { PlaneAccess } from './access/plane-access.ts'
import {
  hostCertificates,
  hostCredentials,
  hostMetrics,
  hostMoves,
  hostPlaneEtcd,
  hostPods,
  hostRemoval,
  hostSnapshot,
  restoreHosted,
} from './driver-parts.ts'
import { checkComponents } from './workloads/check-components.ts'
import { Paced } from './workloads/paced.ts'
import type { KubernetesContext } from './context/context.ts'
import { toPlace } from './context/object-names.ts'
import { PlaneObserver } from './observed/observed-plane.ts'
import { areReady } from './observed/is-as-wanted.ts'
import { listRecords, type RecordScope, toListed } from './record/list-records.ts'
import { toPlane } from './record/plane-record.ts'
import { isReadableRecord, type ReadableRecord } from './record/record-store.ts'

/** How long the result of a check of components is cached, in milliseconds: callers that wait ask all the time. */
const PACE_MS = 300

/**
 * Runs planes as pods in namespaces of a host cluster. Labelled objects there hold everything about a plane; this
 * machine stores nothing. Code that changes a plane is loaded on demand: most commands only find a plane and connect.
 */
export class KubernetesDriver implements Driver {
  readonly name = 'kubernetes'
  readonly certificates: Driver['certificates']
  readonly etcd: Driver['etcd']
  readonly moves: Driver['moves']
  readonly pods: Driver['pods']
  readonly remove: Driver['remove']
  readonly metrics: Driver['metrics']
  readonly credentials: NonNullable<Driver['credentials']>
  readonly snapshot: Driver['snapshot']
  readonly #context: KubernetesContext
  readonly #access: PlaneAccess
  readonly #observer = new PlaneObserver()
  readonly #checks = new Map<string, Paced<string | undefined>>()

  constructor(context: KubernetesContext) {
    this.#context = context
    this.#access = new PlaneAccess(context)
    this.certificates = hostCertificates(context, (record) => this.#access.know(record))
    this.etcd = hostPlaneEtcd(context)
    this.moves = hostMoves(context)
    this.pods = hostPods(context)
    this.remove = hostRemoval(context)
    this.metrics = hostMetrics(context)
    this.credentials = hostCredentials(context)
    this.snapshot = hostSnapshot(context)
  }

  async list(scope: RecordScope = {}): Promise<Array<Plane | UnreadablePlane>> {
    const host = await this.#context.host()
    const found = await listRecords(host, scope)
    found.filter(isReadableRecord).forEach(({ record }) => this.#access.know(record))
    return found.map((stored) => toListed(stored, host))
  }

  async find(name: string, scope: LookupScope = {}): Promise<Array<Plane | UnreadablePlane>> {
    return isName(name) ? this.list({ ...scope, name }) : []
  }

  async create(request: CreateRequest, operation: Operation): Promise<Plane> {
    const { createPlane } = await import('./lifecycle/create-plane.ts')
    return this.#known(await createPlane(this.#context, request, operation))
  }

  async start(plane: Plane, operation: SwitchOperation): Promise<void> {
    const { startPlane } = await import('./lifecycle/start-plane.ts')
    await startPlane(this.#context, await this.#stored(plane, operation.signal), operation)
    this.#checks.clear()
  }

  async plan(plane: Plane, change: SpecChange, signal: AbortSignal): Promise<ChangePlan> {
    const { planChange } = await import('./change/plan-change.ts')
    return planChange(this.#context, await this.#stored(plane, signal), { change, signal })
  }

  async change(plane: Plane, change: SpecChange, operation: SwitchOperation): Promise<Plane> {
    const { changePlane } = await import('./change/change-plane.ts')
    const stored = await this.#stored(plane, operation.signal)
    return this.#known(await changePlane(this.#context, stored, { change, operation }))
  }

  async pause(plane: Plane, operation: Operation, options: PauseOptions = {}): Promise<void> {
    const { pausePlane } = await import('./lifecycle/pause-plane.ts')
    const work = { ...operation, ...options }
    await pausePlane(this.#context, await this.#stored(plane, operation.signal), work)
  }

  async isRunning(
    plane: Plane,
    components: readonly AnyComponentName[] = servingOf(plane.spec),
  ): Promise<boolean> {
    const { api } = await this.#context.host()
    const { place } = toPlace(plane)
    return areReady(api, { ...place, components, signal: readLimit() })
  }

  async status(plane: Plane, options: StatusOptions = {}): Promise<PlaneStatus> {
    const signal = readLimit()
    const { readStatus } = await import('./status/read-status.ts')
    try {
      const { api } = await this.#context.host()
      const observed = await this.#observer.at(api, toPlace(plane).place, signal)
      const access = await this.#access.describe(plane, { ...options, observed })
      return await readStatus(this.#context, { ...options, access, observed, plane, signal })
    } catch (error) {
      if (isVplaneError(error, 'CONTROL_PLANE_NOT_FOUND')) {
        throw error
      }
      return { phase: 'NotReady', reason: messageOf(error), components: [] }
    }
  }

  async endpoint(plane: Plane, options: EndpointOptions = { lasting: false }): Promise<Endpoint> {
    return this.#access.endpoint(plane, options, readLimit())
  }

  async issueCredential(
    plane: Plane,
    identity: Identity,
    lifetimeMs: number,
  ): Promise<ClientCredential> {
    const { issueCredential } = await import('./access/issue-credential.ts')
    const { api } = await this.#context.host()
    return issueCredential(api, toPlace(plane).place, {
      identity,
      lifetimeMs,
      algorithm: plane.spec.pki.algorithm,
      now: this.#context.now(),
      signal: readLimit(),
    })
  }

  async checkComponents(
    plane: Plane,
    components: readonly AnyComponentName[] = servingOf(plane.spec),
  ): Promise<string | undefined> {
    const host = await this.#context.host()
    const key = `${plane.id} ${components.join()}`
    const paced = this.#checks.get(key) ?? new Paced<string | undefined>(PACE_MS)
    this.#checks.set(key, paced)
    return paced.ask(() =>
      checkComponents(this.#context, host, {
        ...toPlace(plane),
        components,
        signal: readLimit(),
      }),
    )
  }

  readonly debugFiles: Driver['debugFiles'] = async (plane, signal) => {
    const { debugFiles } = await import('./status/debug-files.ts')
    const { api } = await this.#context.host()
    const { record } = await this.#stored(plane, signal)
    return debugFiles(api, toPlace(plane).place, { ...record, signal })
  }

  async restore(plane: Plane, request: RestoreRequest, operation: Operation): Promise<void> {
    await restoreHosted(this.#context, plane, { request, operation })
    this.#checks.clear()
  }

  async keys(plane: Plane, signal: AbortSignal): Promise<Record<string, string>> {
    const { planeKeys } = await import('./objects/stored-keys.ts')
    return planeKeys((await this.#context.host()).api, toPlace(plane).place, signal)
  }

  async diagnose(plane: Plane, signal: AbortSignal): Promise<Diagnosis> {
    const { diagnosePlane } = await import('./repair/diagnose-plane.ts')
    return diagnosePlane(this.#context, await this.#stored(plane, signal), signal)
  }

  readonly repair: Driver['repair'] = async (plane, operation, shown) => {
    const { repairFaults } = await import('./repair/repair-faults.ts')
    const stored = await this.#stored(plane, operation.signal)
    const unshown = await repairFaults(this.#context, stored, { operation, shown })
    this.#checks.clear()
    return unshown
  }

  async *logs(plane: Plane, request: LogRequest, signal: AbortSignal): AsyncIterable<LogLines> {
    const { readLogs } = await import('./logs/read-logs.ts')
    const { api } = await this.#context.host()
    yield* readLogs(api, { place: toPlace(plane).place, request }, signal)
  }

  /** Returns the plane of a record that was just written, and forgets earlier checks. */
  async #known({ namespace, record }: ReadableRecord): Promise<Plane> {
    const { context } = await this.#context.host()
    this.#access.know(record)
    this.#checks.clear()
    return toPlane(record, { namespace, hostContext: context })
  }

  async #stored(plane: Plane, signal: AbortSignal): Promise<ReadableRecord> {
    const { readPlane } = await import('./record/hold-plane.ts')
    return readPlane((await this.#context.host()).api, toPlace(plane), signal)
  }
}
