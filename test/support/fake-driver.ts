import { setTimeout as delay } from 'node:timers/promises'
import type {
  CreateRequest,
  Driver,
  Leftover,
  EndpointOptions,
  LogRequest,
  LookupScope,
  Operation,
  RemoveOptions,
  StatusOptions,
  UnreadablePlane,
} from '../../src/control-plane/driver.ts'
import { isReadable } from '../../src/control-plane/driver.ts'
import {
  type ClientCredential,
  COMPONENT_NAMES,
  type ComponentName,
  type DriverName,
  type Endpoint,
  type Identity,
  type Plane,
  type PlaneReference,
  type PlaneStatus,
  referenceOf,
} from '../../src/control-plane/plane.ts'
import type { PlaneApi } from '../../src/control-plane/plane-api.ts'
import { VplaneError } from '../../src/shared/errors.ts'
import { FakePlane } from './fake-plane.ts'
import { fakeClient } from './fake-client.ts'

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
  readonly planes = new Map<string, FakePlane>()
  /** What was called, as `start dev`. */
  readonly calls: string[] = []
  /** What the next removals leave behind. */
  leftovers: Leftover[] = []
  /** Thrown by whatever looks for planes. @default nothing is */
  failure: Error | undefined
  /** Whether looking for planes gets no answer, until whoever asked gives up. @default false */
  isSilent = false
  /** Runs between the look for a plane and its making. @default nothing does */
  beforeCreate: (request: CreateRequest) => void = () => {}
  readonly #options: FakeDriverOptions
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
  openApi = (access: Endpoint & ClientCredential): PlaneApi => {
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
    if (plane.stored.desired === 'running') {
      operation.ui.step(`Starting Kubernetes ${plane.stored.spec.version}`)
      plane.start()
    }
    return plane.stored
  }

  async start(plane: Plane, { signal }: Operation): Promise<void> {
    this.calls.push(`start ${plane.name}`)
    signal.throwIfAborted()
    const found = this.#own(plane)
    found.stored = { ...plane, desired: 'running' }
    found.start()
  }

  async pause(plane: Plane, { signal, ui }: Operation): Promise<void> {
    this.calls.push(`pause ${plane.name}`)
    signal.throwIfAborted()
    const found = this.#own(plane)
    found.stored = { ...plane, desired: 'paused' }
    for (const component of COMPONENT_NAMES.toReversed()) {
      ui.step(`Stopping ${component}`)
      found.stop(component)
    }
  }

  async remove(
    plane: Plane | UnreadablePlane,
    { signal }: Operation,
    { keepData }: RemoveOptions = { keepData: false },
  ): Promise<Leftover[]> {
    this.calls.push(`remove ${plane.name}${keepData ? ' keeping its data' : ''}`)
    signal.throwIfAborted()
    const key = this.#keyOf(plane)
    for (const component of COMPONENT_NAMES) {
      this.planes.get(key)?.stop(component)
    }
    this.planes.delete(key)
    return this.leftovers
  }

  async isRunning(plane: Plane): Promise<boolean> {
    this.calls.push(`isRunning ${plane.name}`)
    return this.#own(plane).isRunning()
  }

  async status(plane: Plane, { events = false }: StatusOptions = {}): Promise<PlaneStatus> {
    const inside = this.#own(plane)
    const status = inside.status()
    return this.name === 'local' ? status : { ...status, ...inside.hostStatus({ events }) }
  }

  async endpoint(
    plane: Plane,
    { lasting, server: wanted }: EndpointOptions = { lasting: false },
  ): Promise<Endpoint> {
    const inside = this.#own(plane)
    const { certificateAuthority, server } = inside
    if (wanted !== undefined) {
      return { certificateAuthority, server: wanted }
    }
    if (this.name === 'local' || lasting) {
      return { certificateAuthority, server }
    }
    inside.passingServer = `${server}/passing`
    return { certificateAuthority, server: inside.passingServer, isPassing: true }
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

  async *logs(plane: Plane, request: LogRequest, signal: AbortSignal): AsyncIterable<string> {
    const inside = this.#own(plane)
    const lines = inside.logs[request.component]
    const { tail = lines.length } = request
    let position = Math.max(0, lines.length - tail)
    do {
      for (; position < lines.length; position += 1) {
        yield lines[position] ?? ''
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

  #add({ host, name, spec, userSpec }: CreateRequest): FakePlane {
    this.#made += 1
    const isHosted = this.name === 'kubernetes'
    const { hostContext } = this.#options
    const plane = new FakePlane({
      name,
      driver: this.name,
      ...(isHosted ? { namespace: host?.namespace ?? this.#options.namespace ?? 'default' } : {}),
      ...(isHosted && hostContext !== undefined ? { hostContext } : {}),
      id: `${this.name}-${this.#made}`,
      createdAt: this.#now(),
      writtenBy: '0.0.0',
      userSpec,
      spec,
      desired: 'running',
    })
    this.planes.set(this.#keyOf(plane.stored), plane)
    return plane
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
      await new Promise((resolve) => {
        signal?.addEventListener('abort', resolve, { once: true })
      })
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

  #now(): Date {
    return this.#options.now?.() ?? new Date()
  }
}
