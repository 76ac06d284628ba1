import { EventEmitter, once } from 'node:events'
import {
  isReadable,
  type UnreadablePlane,
} from '../../../src/control-plane/plane/unreadable-plane.ts'
import { unfinishedError } from '../../../src/control-plane/operations/unfinished.ts'
import { fenceOf } from '../../../src/control-plane/plane/fence.ts'
import {
  type AnyComponentName,
  asRunning,
  COMPONENT_NAMES,
  type ComponentName,
  type Plane,
} from '../../../src/control-plane/plane/plane.ts'
import {
  pausedReason,
  type ComponentStatus,
  type PlaneStatus,
} from '../../../src/control-plane/status/plane-status.ts'
import type { EtcdFigures } from '../../../src/control-plane/status/plane-figures.ts'
import type {
  PlaneCertificate,
  StoredSecrets,
} from '../../../src/control-plane/driver/plane-certificates.ts'
import { refuseOtherStep } from '../../../src/control-plane/rotation/refuse-step.ts'
import type {
  RotatedKeys,
  RotationProgress,
  RotationRequest,
  RotationStep,
} from '../../../src/control-plane/rotation/rotation.ts'
import type { CreateRequest } from '../../../src/control-plane/driver/requests.ts'
import type { PlaneFault } from '../../../src/control-plane/driver/repair.ts'
import type { StaleObjects } from '../../../src/control-plane/driver/etcd-operations.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import type { Ui } from '../../../src/shared/ui.ts'
import { changedComponents } from '../contracts/changed-components.ts'
import { FakePlaneApi } from '../api/fake-plane-api.ts'

const YEAR_MS = 365 * 24 * 3_600_000

let instances = 0

/** One plane of a `FakeDriver`: components that live or not, an API, logs. */
export class FakePlane {
  stored: Plane | UnreadablePlane
  server: string
  /** Where it is for one process alone, when one has asked. */
  passingServer: string | undefined
  /** Whether the one that asked last where it is knew that it serves. */
  isServing = false
  readonly certificateAuthority: string
  readonly api = new FakePlaneApi()
  readonly logs: Record<AnyComponentName, string[]> = {
    etcd: [],
    kine: [],
    'kube-apiserver': [],
    'kube-controller-manager': [],
    syncer: [],
    'kube-scheduler': [],
    keeper: [],
  }
  /** Components that end as soon as they are started. */
  readonly broken = new Set<ComponentName>()
  keys: Record<string, string>
  /** That of its etcd: only restores raise it. */
  revision = 7
  /** Whether kube-controller-manager does its work once it runs. */
  hasControllers = true
  readonly #running = new Map<ComponentName, { instance: string; startedAt: Date }>()
  readonly #crashed = new Set<ComponentName>()
  readonly #changes = new EventEmitter()

  certificates: PlaneCertificate[] = [
    { name: 'ca', kind: 'authority', subject: 'kubernetes', expiresAt: new Date(2036, 0) },
    { name: 'apiserver', kind: 'leaf', subject: 'kube-apiserver', expiresAt: new Date(2027, 0) },
    { name: 'sa', kind: 'key' },
  ]

  constructor(plane: Plane) {
    this.stored = plane
    this.server = `https://${plane.name}.${plane.id}.test`
    const id = plane.id.replaceAll('-', '')
    this.certificateAuthority = `-----BEGIN CERTIFICATE-----\n${id}\n-----END CERTIFICATE-----\n`
    this.keys = { 'ca.key': `key of ${plane.id}`, 'sa.key': `token key of ${plane.id}` }
    this.api.isUp = false
  }

  /** Returns whether an address is the plane's, or a passing one of it. */
  isAt(address: string): boolean {
    return address === this.server || address.startsWith(`${this.server}/passing`)
  }

  /** Returns whether a create starts it: one that was created paused stays so only with another create like that. */
  isToRun(isPaused = false): boolean {
    if (isReadable(this.stored) && this.stored.neverStarted === true && !isPaused) {
      this.stored = asRunning(this.stored)
    }
    return isReadable(this.stored) && this.stored.desired === 'running'
  }

  /** Makes it wait for its data, with the keys of the first time. */
  awaitRestore({ keys, ...from }: NonNullable<CreateRequest['awaitsRestore']>): void {
    if (isReadable(this.stored)) {
      this.keys = this.stored.restoring === undefined ? { ...this.keys, ...keys } : this.keys
      this.stored = { ...this.stored, ...from, desired: 'paused', restoring: { isCreation: true } }
    }
  }

  renewLeaves(now: Date): string[] {
    const expiresAt = new Date(now.getTime() + YEAR_MS)
    this.certificates = this.certificates.map((one) =>
      one.kind === 'leaf' ? { ...one, expiresAt } : one,
    )
    return this.certificates.filter(({ kind }) => kind === 'leaf').map(({ name }) => name)
  }

  /** The last stage that each rotation has gone through. */
  readonly taken = new Map<RotatedKeys, 'prepare' | 'switch'>()
  /** The step of a rotation that was cut off. */
  unfinished: RotationStep | undefined

  rotation(keys: RotatedKeys): RotationProgress {
    const taken = this.taken.get(keys)
    return {
      ...(taken === undefined ? {} : { taken }),
      ...(this.unfinished === undefined ? {} : { unfinished: this.unfinished }),
    }
  }

  #rotating: Promise<void> = Promise.resolve()

  /** One after the other, as each holds the plane. */
  rotate(request: RotationRequest): Promise<void> {
    const rotation = this.#rotating.then(() => this.#rotate(request))
    // The next one starts from what this one left.
    this.#rotating = rotation.catch(() => {})
    return rotation
  }

  async #rotate({ untilSafe, untilSettled, ...step }: RotationRequest): Promise<void> {
    refuseOtherStep(this.stored.name, this.rotation(step.keys), step)
    await untilSafe?.()
    this.unfinished = step
    if (step.stage === 'complete') {
      this.taken.delete(step.keys)
    } else {
      this.taken.set(step.keys, step.stage)
    }
    await untilSettled?.()
    this.unfinished = undefined
  }

  /** How it has stored its Secrets. */
  secretsInEtcd: () => StoredSecrets = () => ({ count: 0, stale: [] })
  /** What its etcd holds in versions that go away sooner or later. */
  staleObjects: StaleObjects[] = []
  /** Whether an etcd of the previous minor version could use its data. */
  isEtcdAsBefore = false

  /** What its etcd has stored, and which alarms it has raised. */
  database = { sizeBytes: 4096, inUseBytes: 2048, quotaBytes: 1_048_576 }
  alarms: string[] = []

  etcdFigures(): EtcdFigures {
    const member = { instance: 'etcd', isWorking: true, isLeading: true }
    const { alarms, database } = this
    return {
      members: [
        this.hasEtcd()
          ? { ...member, database, alarms }
          : { ...member, isWorking: false, isLeading: false },
      ],
    }
  }

  /** Has another spec from now on. Returns the components that are others by it. */
  become(stored: Plane): readonly ComponentName[] {
    const before = this.stored
    this.stored = stored
    return isReadable(before) ? changedComponents(before.spec, stored.spec) : COMPONENT_NAMES
  }

  start(components: readonly ComponentName[] = COMPONENT_NAMES): void {
    for (const component of components) {
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

  /** The last to start first. */
  stopAll(ui: Pick<Ui, 'step'>): void {
    for (const component of COMPONENT_NAMES.toReversed()) {
      ui.step(`Stopping ${component}`)
      this.stop(component)
    }
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

  /** Whether what it has beside them does its work, once it may. */
  isSyncerReady = true

  isRunning(components: readonly AnyComponentName[] = COMPONENT_NAMES): boolean {
    const own = COMPONENT_NAMES.filter((component) => components.includes(component))
    return (
      own.every((component) => this.#running.has(component)) &&
      (this.isSyncerReady || !components.includes('syncer'))
    )
  }

  /** What a look for faults finds. */
  faults(): PlaneFault[] {
    const ended = COMPONENT_NAMES.filter((component) => !this.#running.has(component))
    const fault = { reason: 'it has ended', remedy: 'start' } as const
    return ended.map((component) => ({ ...fault, component, instance: component }))
  }

  /** Whether its data can be read. */
  hasEtcd(): boolean {
    return this.#running.has('etcd')
  }

  /** What keeps it from running, as a status reports it. */
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
    const reason = isReadable(this.stored) ? fenceOf(this.stored) : undefined
    if (reason !== undefined) {
      return { phase: 'Fenced', reason }
    }
    if (isReadable(this.stored) && this.stored.desired === 'paused') {
      const { idleSince, neverStarted: isNew = false, spec } = this.stored
      return {
        phase: 'Paused',
        ...pausedReason({ spec, isNew, idleSince: idleSince?.toISOString() }),
      }
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

  /** Throws as drivers do while it is being moved away, and afterwards. */
  usable(): this {
    const move = isReadable(this.stored) ? this.stored.movingTo : undefined
    if (move !== undefined) {
      throw unfinishedError(this.stored, { kind: 'departure', move })
    }
    return this
  }
}
