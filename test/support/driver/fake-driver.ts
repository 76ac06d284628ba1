import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type SpecChange, specsAfter } from '../../../src/control-plane/changes/changed-spec.ts'
import type {
  Driver,
  Leftover,
  LogLines,
  LogRequest,
  LookupScope,
  RemoveOptions,
  StatusOptions,
} from '../../../src/control-plane/driver/driver.ts'
import type {
  CreateRequest,
  PauseOptions,
  RestoreRequest,
} from '../../../src/control-plane/driver/requests.ts'
import type { EndpointOptions } from '../../../src/control-plane/driver/endpoint-options.ts'
import {
  isReadable,
  type UnreadablePlane,
} from '../../../src/control-plane/plane/unreadable-plane.ts'
import type { Operation } from '../../../src/control-plane/driver/operation.ts'
import {
  type AnyComponentName,
  asRunning,
  type ClientCredential,
  COMPONENT_NAMES,
  type ComponentName,
  type Endpoint,
  type Identity,
  type Plane,
  type PlaneReference,
  referenceOf,
} from '../../../src/control-plane/plane/plane.ts'
import type { DriverName } from '../../../src/control-plane/spec/driver-name.ts'
import type { PlaneStatus } from '../../../src/control-plane/status/plane-status.ts'
import type { PlaneApi } from '../../../src/control-plane/api/plane-api.ts'
import type { ArchivedFile } from '../../../src/shared/files/tar.ts'
import type { Diagnosis } from '../../../src/control-plane/driver/repair.ts'
import type { PlaneData, WantedSnapshot } from '../../../src/control-plane/driver/snapshot.ts'
import type { PlanStep } from '../../../src/shared/plan-step.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { packageVersion } from '../../../src/shared/package-root.ts'
import { restartOf } from '../contracts/changed-components.ts'
import { FakeMoves } from './fake-moves.ts'
import { FakePlane } from './fake-plane.ts'
import { FakePlanePods } from './fake-plane-pods.ts'
import { unfinishedError } from '../../../src/control-plane/operations/unfinished.ts'
import { etcdSnapshot, planeData, textOfSnapshot } from '../data/etcd-snapshot.ts'
import { fakeEtcd } from './fake-etcd.ts'
import type { ApiAccess } from '../../../src/control-plane/use-cases/access/access.ts'
import { fakeClient } from '../api/fake-client.ts'
import { fakeMetrics } from './fake-metrics.ts'

export interface FakeDriverOptions {
  /** @default 'local' */
  name?: DriverName
  /** Where planes go that name no host namespace; only with the `kubernetes` driver. @default 'default' */
  namespace?: string
  /** Only with the `kubernetes` driver. */
  hostContext?: string
  now?: () => Date
}

/** Runs planes in memory: it keeps the contract of drivers, and tests can break what it runs. */
export class FakeDriver implements Driver {
  readonly name: DriverName
  credentials: Driver['credentials']
  readonly certificates: Driver['certificates'] = {
    list: (plane) => Promise.resolve(this.inside(plane).certificates),
    renewLeaves: (plane) => {
      this.calls.push(`renewLeaves ${plane.name}`)
      return Promise.resolve(this.inside(plane).renewLeaves(this.#now()))
    },
    rotation: (plane, keys) => Promise.resolve(this.inside(plane).rotation(keys)),
    rotate: (plane, request) => {
      this.calls.push(`rotate ${request.keys} ${request.stage}`)
      return this.inside(plane).rotate(request)
    },
    secretsInEtcd: (plane) => Promise.resolve(this.inside(plane).secretsInEtcd()),
  }
  readonly etcd = fakeEtcd(this)
  readonly moves = new FakeMoves(this)
  readonly pods = new FakePlanePods()
  readonly metrics = fakeMetrics(this)
  tools: Driver['tools']
  readonly planes = new Map<string, FakePlane>()
  /** What was called, as `start dev`. */
  readonly calls: string[] = []
  /** What the next removals leave behind. */
  leftovers: Leftover[] = []
  /** Thrown by whatever looks for planes. @default nothing is */
  failure: Error | undefined
  /** Whether looking for planes gets no answer, until the caller gives up. @default false */
  isSilent = false
  /** Runs between the look for a plane and its making. @default nothing does */
  beforeCreate: (request: CreateRequest) => void = () => {}
  readonly #options: FakeDriverOptions
  readonly #now = (): Date => this.#options.now?.() ?? new Date()
  #made = 0

  constructor(options: FakeDriverOptions = {}) {
    this.name = options.name ?? 'local'
    this.#options = options
  }

  /** The plane behind a reference, for tests to look at and to break. */
  inside(plane: Pick<PlaneReference, 'name' | 'namespace'>): FakePlane {
    const found = this.planes.get(this.#keyOf(plane))
    if (found === undefined) {
      throw new VplaneError('CONTROL_PLANE_NOT_FOUND', `"${plane.name}" was deleted meanwhile`)
    }
    return found
  }

  /** A client for the API of one of the planes. */
  openApi = (access: ApiAccess): PlaneApi => {
    const found = [...this.planes.values()].find((plane) => plane.isAt(access.server))
    return fakeClient(found?.api, access)
  }

  async list({ namespace, signal }: LookupScope = {}): Promise<Array<Plane | UnreadablePlane>> {
    await this.#look(signal)
    return [...this.planes.values()]
      .map((plane) => plane.stored)
      .filter((plane) => namespace === undefined || plane.namespace === namespace)
  }

  async find(name: string, scope?: LookupScope): Promise<Array<Plane | UnreadablePlane>> {
    return (await this.list(scope)).filter((plane) => plane.name === name)
  }

  async create(request: CreateRequest, operation: Operation): Promise<Plane> {
    this.calls.push(`create ${request.name}`)
    this.beforeCreate(request)
    operation.signal.throwIfAborted()
    const plane = this.planes.get(this.#keyOf(request)) ?? this.#add(request)
    if (!isReadable(plane.stored)) {
      throw new VplaneError('FAILED', plane.stored.reason)
    }
    if (request.awaitsRestore !== undefined) {
      plane.awaitRestore(request.awaitsRestore)
    } else if (plane.isToRun(request.isPaused)) {
      operation.ui.step(`Starting Kubernetes ${plane.stored.spec.version}`)
      plane.start()
    }
    return plane.stored
  }

  async start(plane: Plane, { signal }: Operation): Promise<void> {
    this.calls.push(`start ${plane.name}`)
    signal.throwIfAborted()
    const found = this.#usable(plane)
    if (isReadable(found.stored) && found.stored.restoring !== undefined) {
      throw unfinishedError(plane, { kind: 'restore', ...found.stored.restoring })
    }
    found.stored = asRunning(isReadable(found.stored) ? found.stored : plane)
    found.start()
  }

  plan: Driver['plan'] = async (plane, change) => {
    const former = { ...plane, ...this.#own(plane).stored }
    const isSame = isDeepStrictEqual(former, { ...former, ...specsAfter(former, change) })
    const steps = isSame ? this.unfinished : [restartOf(plane.spec, change.spec)]
    return { steps, objects: [] }
  }

  async change(plane: Plane, change: SpecChange, { signal, ui }: Operation): Promise<Plane> {
    this.calls.push(`change ${plane.name}`)
    signal.throwIfAborted()
    const found = this.#usable(plane)
    const former = { ...plane, ...found.stored }
    const changed = { ...former, ...specsAfter(former, change) }
    const components = found.become(changed)
    this.changes.push(change)
    this.beforeChange(change)
    ui.step(`Changing ${plane.name}`)
    if (changed.desired === 'running') {
      components.forEach((component) => found.stop(component))
      found.start()
    }
    return Promise.resolve(changed)
  }

  async pause(plane: Plane, { signal, ui }: Operation, { idle }: PauseOptions = {}): Promise<void> {
    this.calls.push(`pause ${plane.name}`)
    signal.throwIfAborted()
    const found = this.#usable(plane)
    if (idle !== undefined && !(await idle.isStill())) {
      return
    }
    found.stored = { ...plane, desired: 'paused', ...(idle && { idleSince: idle.since }) }
    found.stopAll(ui)
  }

  /** What was asked of its planes to become. */
  readonly changes: SpecChange[] = []
  /** What an earlier change left to do. */
  unfinished: PlanStep[] = []
  /** Runs when a plane has another spec, before it is made so. @default nothing does */
  beforeChange: (change: SpecChange) => void = () => {}

  /** Runs before anything of a plane is removed. @default nothing does */
  beforeRemove = async (): Promise<void> => {}
  async remove(
    plane: Plane | UnreadablePlane,
    { signal }: Operation,
    { keepData, leaveData = false, whenCertain }: RemoveOptions = { keepData: false },
  ): Promise<Leftover[]> {
    const data = keepData ? ' keeping its data' : ''
    this.calls.push(`remove ${plane.name}${leaveData ? ' leaving its data' : data}`)
    signal.throwIfAborted()
    await this.beforeRemove()
    await whenCertain?.()
    const key = this.#keyOf(plane)
    COMPONENT_NAMES.forEach((component) => this.planes.get(key)?.stop(component))
    this.planes.delete(key)
    return this.leftovers
  }

  debugFiles(plane: Plane): Promise<ArchivedFile[]> {
    return Promise.resolve([{ path: 'fake.txt', text: plane.name }])
  }

  async isRunning(plane: Plane, components?: readonly AnyComponentName[]): Promise<boolean> {
    this.calls.push(`isRunning ${plane.name}`)
    return this.#own(plane).isRunning(components)
  }

  async status(plane: Plane, { events = false }: StatusOptions = {}): Promise<PlaneStatus> {
    const inside = this.#own(plane)
    const status = inside.status()
    return this.name === 'local' ? status : { ...status, ...inside.hostStatus({ events }) }
  }

  async endpoint(
    plane: Plane,
    { isServing = false, lasting, server: wanted }: EndpointOptions = { lasting: false },
  ): Promise<Endpoint> {
    const inside = this.#own(plane)
    inside.isServing = isServing
    const { certificateAuthority, server } = inside
    if (wanted !== undefined || this.name === 'local' || lasting) {
      return { certificateAuthority, server: wanted ?? server }
    }
    inside.passingServer = `${server}/passing`
    return { certificateAuthority, server: inside.passingServer, isTransient: true }
  }

  async issueCredential(
    plane: Plane,
    identity: Identity,
    lifetimeMs: number,
  ): Promise<ClientCredential> {
    this.calls.push(`issueCredential ${plane.name}`)
    this.#own(plane)
    const expiresAt = new Date(this.#now().getTime() + lifetimeMs)
    return { certificate: JSON.stringify(identity), key: `key of ${identity.user}`, expiresAt }
  }

  async checkComponents(plane: Plane): Promise<string | undefined> {
    return this.#own(plane).check()
  }

  /** What the next looks for faults find, the last of them again and again. @default what does not run */
  diagnoses: Diagnosis[] = []

  async diagnose(plane: Plane): Promise<Diagnosis> {
    this.calls.push(`diagnose ${plane.name}`)
    const found = this.#own(plane)
    const [next, ...later] = this.diagnoses
    this.diagnoses = next !== undefined && later.length === 0 ? [next] : later
    return next ?? { faults: found.faults() }
  }

  async repair(plane: Plane, { signal }: Operation): Promise<Diagnosis | undefined> {
    this.calls.push(`repair ${plane.name}`)
    signal.throwIfAborted()
    this.#own(plane).start()
    return undefined
  }

  /** Bytes that etcd of a plane gives instead of its own, by the name of the plane. @default none */
  readonly wrongData = new Map<string, Buffer>()

  async snapshot(plane: Plane, _: AbortSignal, wanted?: WantedSnapshot): Promise<PlaneData> {
    const instance = wanted?.instance
    this.calls.push(`snapshot ${plane.name}${instance === undefined ? '' : ` of ${instance}`}`)
    const found = this.#own(plane)
    if (!found.hasEtcd() && instance === undefined) {
      throw new VplaneError('FAILED', `etcd of "${plane.name}" does not run`)
    }
    const data = this.wrongData.get(plane.name) ?? etcdSnapshot(found.api.save())
    return planeData(data, found.revision)
  }

  async keys(plane: Plane): Promise<Record<string, string>> {
    return this.#own(plane).keys
  }

  async restore(
    plane: Plane,
    { file, from, keepFormer, revision, untilAnswers, untilSound }: RestoreRequest,
  ): Promise<void> {
    this.calls.push(`restore ${plane.name} after ${revision}${keepFormer ? ', keeping all' : ''}`)
    const found = this.#usable(plane)
    // As long as it takes to stop a plane, at least.
    await delay(0)
    found.api.load(textOfSnapshot(await readFile(file)))
    found.revision = Math.max(revision, found.revision) + 1_000_000_000
    found.stored = { ...plane, desired: 'running', restoring: { from } }
    const settle = () => {
      found.stored = asRunning(plane)
    }
    if (untilSound !== undefined) {
      found.start(['etcd'])
      await untilSound()
      settle()
    }
    found.start()
    await untilAnswers()
    settle()
  }

  async *logs(plane: Plane, request: LogRequest, signal: AbortSignal): AsyncIterable<LogLines> {
    const inside = this.#own(plane)
    const lines = inside.logs[request.component]
    const { tail = lines.length } = request
    let position = Math.max(0, lines.length - tail)
    do {
      for (; position < lines.length; position += 1) {
        yield { text: lines[position] ?? '' }
      }
      if (request.follow && !signal.aborted) {
        await inside.nextLog(signal)
      }
    } while (request.follow && !signal.aborted)
  }

  /** Ends one component, as a crash does. */
  async kill(plane: Plane, component: ComponentName): Promise<void> {
    await delay(0)
    this.#own(plane).crash(component)
  }

  /** Makes the stored state of a plane unreadable. */
  async damage(plane: Plane): Promise<void> {
    await delay(0)
    this.inside(plane).stored = { ...referenceOf(plane), reason: 'plane.json is damaged' }
  }

  #add({ declaredBy, host, isPaused = false, name, spec, userSpec }: CreateRequest): FakePlane {
    const isHosted = this.name === 'kubernetes'
    const { hostContext } = this.#options
    const plane = new FakePlane({
      name,
      driver: this.name,
      ...(isHosted ? { namespace: host?.namespace ?? this.#options.namespace ?? 'default' } : {}),
      ...(isHosted && hostContext !== undefined ? { hostContext } : {}),
      id: `${this.name}-${(this.#made += 1)}`,
      createdAt: this.#now(),
      writtenBy: packageVersion(),
      userSpec,
      spec,
      declaredBy,
      ...(isPaused ? { desired: 'paused', neverStarted: true } : { desired: 'running' }),
    })
    this.planes.set(this.#keyOf(plane.stored), plane)
    return plane
  }

  #usable(plane: Plane): FakePlane {
    return this.#own(plane).usable()
  }

  #own(plane: Plane): FakePlane {
    const found = this.inside(plane)
    if (isReadable(found.stored) && found.stored.id !== plane.id) {
      throw new VplaneError('CONTROL_PLANE_NOT_FOUND', `"${plane.name}" was deleted meanwhile`)
    }
    return found
  }

  async #look(signal: AbortSignal | undefined): Promise<void> {
    if (this.isSilent) {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }))
      throw new VplaneError('ABORTED', 'nobody waits for the host cluster any more')
    }
    if (this.failure !== undefined) {
      throw this.failure
    }
  }

  #keyOf({ name, namespace }: Pick<PlaneReference, 'name' | 'namespace'>): string {
    const where = this.name === 'local' ? '' : (namespace ?? this.#options.namespace ?? 'default')
    return `${where}/${name}`
  }
}
