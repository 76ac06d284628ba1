import { EventEmitter, once } from 'node:events'
import type { UnreadablePlane } from '../../src/control-plane/driver.ts'
import { isReadable } from '../../src/control-plane/driver.ts'
import {
  COMPONENT_NAMES,
  type ComponentName,
  type ComponentStatus,
  type Plane,
  type PlaneStatus,
} from '../../src/control-plane/plane.ts'
import { VplaneError } from '../../src/shared/errors.ts'
import { FakePlaneApi } from './fake-plane-api.ts'

let instances = 0

/** One plane of a `FakeDriver`: components that live or not, an API, logs. */
export class FakePlane {
  stored: Plane | UnreadablePlane
  server: string
  /** Where it is for one process alone, when one has asked. */
  passingServer: string | undefined
  readonly certificateAuthority: string
  readonly api = new FakePlaneApi()
  readonly logs: Record<ComponentName, string[]> = {
    etcd: [],
    'kube-apiserver': [],
    'kube-controller-manager': [],
  }
  /** Components that end as soon as they are started. */
  readonly broken = new Set<ComponentName>()
  /** Whether kube-controller-manager does its work once it runs. */
  hasControllers = true
  readonly #running = new Map<ComponentName, { instance: string; startedAt: Date }>()
  readonly #crashed = new Set<ComponentName>()
  readonly #changes = new EventEmitter()

  constructor(plane: Plane) {
    this.stored = plane
    this.server = `https://${plane.name}.${plane.id}.test`
    this.certificateAuthority = `CA of ${plane.id}`
    this.api.isUp = false
  }

  /** Tells whether an address is the plane's, or a passing one of it. */
  isAt(address: string): boolean {
    return address === this.server || address.startsWith(`${this.server}/passing`)
  }

  start(): void {
    for (const component of COMPONENT_NAMES) {
      if (!this.#running.has(component)) {
        instances += 1
        this.#running.set(component, { instance: `instance ${instances}`, startedAt: new Date() })
        this.#crashed.delete(component)
        this.log(component, `${component} has started\n`)
      }
      if (this.broken.has(component)) {
        this.crash(component)
      }
    }
    this.api.isUp = this.#running.has('kube-apiserver') && this.#running.has('etcd')
    if (this.hasControllers && this.#running.has('kube-controller-manager')) {
      this.api.runControllers()
    }
  }

  stop(component: ComponentName): void {
    this.#running.delete(component)
    this.#crashed.delete(component)
    this.api.isUp = this.#running.has('kube-apiserver')
  }

  crash(component: ComponentName): void {
    this.log(component, `panic: ${component} has crashed\n`)
    this.stop(component)
    this.#crashed.add(component)
  }

  log(component: ComponentName, chunk: string): void {
    this.logs[component].push(chunk)
    this.#changes.emit('log')
  }

  async nextLog(signal: AbortSignal): Promise<void> {
    await once(this.#changes, 'log', { signal }).catch(() => [])
  }

  isRunning(): boolean {
    return COMPONENT_NAMES.every((component) => this.#running.has(component))
  }

  /** What keeps it from running, says whoever looks. */
  obstacle: string | undefined

  check(): string | undefined {
    const dead = COMPONENT_NAMES.find((component) => !this.#running.has(component))
    if (dead !== undefined) {
      throw new VplaneError(
        'COMPONENT_FAILED',
        `${dead} of "${this.stored.name}" has ended; its last lines:\n  ${this.logs[dead].at(-1)?.trim()}`,
      )
    }
    return this.obstacle
  }

  status(): PlaneStatus {
    const certificatesExpireAt = new Date(Date.now() + 365 * 24 * 60 * 60 * 1000)
    const components = COMPONENT_NAMES.map((name) => this.#statusOf(name))
    return { ...this.#phase(components), components, certificatesExpireAt, server: this.server }
  }

  /** What only a host cluster says of a plane. */
  hostStatus({ events }: { events: boolean }): Partial<PlaneStatus> {
    const { name, namespace = 'default' } = this.stored
    const components = this.status().components.map((component) => ({
      ...component,
      replicas: { wanted: 1, ready: component.state === 'running' ? 1 : 0 },
      image: `registry.k8s.io/${component.name}:v1`,
    }))
    const event = {
      at: new Date(),
      level: 'warning',
      object: `Pod/vplane-${name}-etcd-0`,
      reason: 'FailedScheduling',
      message: '0/1 nodes are available',
      count: 3,
    } as const
    return {
      components,
      server: this.passingServer ?? this.server,
      endpoints: [`https://vplane-${name}-api.${namespace}.svc:443`],
      ...(events ? { events: [event] } : {}),
    }
  }

  #statusOf(name: ComponentName): ComponentStatus {
    const running = this.#running.get(name)
    if (running !== undefined) {
      return { name, state: 'running', address: `${name}:1`, ...running }
    }
    return this.#crashed.has(name) && this.#running.size > 0
      ? { name, state: 'failed', reason: 'ended: panic' }
      : { name, state: 'stopped' }
  }

  #phase(components: readonly ComponentStatus[]): Pick<PlaneStatus, 'phase' | 'reason'> {
    if (isReadable(this.stored) && this.stored.desired === 'paused') {
      return { phase: 'Paused' }
    }
    if (this.#running.size === 0) {
      return { phase: 'Stopped', reason: 'any use of its context starts it' }
    }
    const dead = components.find(({ state }) => state !== 'running')
    if (dead !== undefined) {
      return { phase: 'NotReady', reason: `${dead.name} ${dead.reason ?? 'is stopped'}` }
    }
    return this.api.readyz.status === 200
      ? { phase: 'Ready' }
      : { phase: 'Starting', reason: 'the API is not ready' }
  }
}
