import { Duplex } from 'node:stream'
import type { Operation } from '../../../../src/control-plane/driver/operation.ts'
import type { Plane } from '../../../../src/control-plane/plane/plane.ts'
import { isReadable } from '../../../../src/control-plane/plane/unreadable-plane.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { recordName } from '../../../../src/drivers/kubernetes/context/object-names.ts'
import { KubernetesDriver } from '../../../../src/drivers/kubernetes/kubernetes-driver.ts'
import {
  wantedReplicas,
  workloadPath,
} from '../../../../src/drivers/kubernetes/observed/workloads.ts'
import { isReadyPod } from '../../../../src/drivers/kubernetes/observed/observed-plane.ts'
import { RECEIVER, RECEIVING_PORT } from '../../../../src/manifests/restore/restore-scripts.ts'
import { isRecord, recordsAt } from '../../../../src/shared/json-fields.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import type { MemoryRequest } from '../../../support/api/memory-host-api.ts'
import { FakeCluster } from '../fake-cluster.ts'
import { type FakeEtcd, fakeEtcd } from '../repair/fake-etcd.ts'
import { CLAIM, NO_DATA, PLACE, POD, putClaim } from '../repair/ill-plane.ts'

/** As many members as a test of these may want. */
const MOST = 3
const ORDINALS = [0, 1, 2]
const CONFIGURATION = '/api/v1/namespaces/team-a/configmaps/vplane-dev-etcd'
const REMOVED =
  '{"level":"fatal","msg":"the member has been permanently removed from the cluster"}\n'

/** After this long nobody holds a Lease any more, and no pod is young. */
const LATER_MS = 20 * 60_000

/** After this long a command hangs. Beside other tests on a busy machine, one that works took more than 20 seconds. */
const HANGS_MS = 5 * 60_000

/** The death of the process that runs a command. */
const KILLED = new VplaneError('UNREACHABLE', 'the process was killed')

/**
 * A plane on a host in memory, whose commands can be killed before any of their writes. Its members of etcd run, end and
 * start as real ones do: by the data of their volumes, by their files, and by etcd's list.
 */
export class InterruptiblePlane {
  readonly cluster: FakeCluster
  readonly driver: KubernetesDriver
  readonly userSpec: UserSpec
  /** What must never happen, and has. */
  readonly violations: string[] = []
  /** Whether a command may take the data away, which only a deletion does. */
  mayLoseData = false
  /** The id of the member whose data is in a volume, by the uid of its claim, or of its pod on an ephemeral plane. */
  readonly #data = new Map<string, string>()
  readonly #count: number
  /** The restores of pods that were made to receive a snapshot first, by the uid of the pod. */
  readonly #restores = new Map<string, PodRestore>()
  /** The restore that the members of etcd come from. */
  #restored: string | undefined
  #etcd: FakeEtcd | undefined
  #opening: Promise<FakeEtcd> | undefined
  #isFormed = false
  /** Also while the host is made, which then tells of its namespace. */
  #isSettling = true
  #writesLeft = Number.POSITIVE_INFINITY
  #writes = 0
  #isDead = false
  #death = new AbortController()

  constructor(userSpec: UserSpec) {
    this.userSpec = userSpec
    this.#count = userSpec.etcd?.replicas ?? 1
    this.cluster = new FakeCluster({
      onRequest: (request) => this.#request(request),
      onChange: ({ object, path, type }) => {
        const [, ordinal] = /\/pods\/vplane-dev-etcd-(\d)$/.exec(path) ?? []
        if (ordinal !== undefined && type === 'ADDED') {
          this.#expectSnapshot(object)
          if (userSpec.ephemeral !== true) {
            putClaim(this.cluster, Number(ordinal), object.metadata.labels)
          }
        }
        if (type === 'ADDED' && path.endsWith('-image-check')) {
          this.cluster.api.put(path, { ...object, status: allStarted(object) })
        }
        if (type === 'DELETED') {
          this.#collect(path)
        }
        this.#settle()
      },
    })
    this.cluster.forward = async (to, options) => {
      this.#refuseDead()
      this.#opening ??= this.#open()
      const etcd = await this.#opening
      return to.port === RECEIVING_PORT ? this.#receive(etcd, to.pod) : etcd.forward(to, options)
    }
    this.#isSettling = false
    this.driver = new KubernetesDriver(this.cluster.driverContext())
  }

  /** Runs a command; with a number of writes, kills it before the next one. Returns how many it did. */
  async run(command: Command, writes = Number.POSITIVE_INFINITY): Promise<number> {
    this.#writesLeft = writes
    this.#writes = 0
    this.#death = new AbortController()
    try {
      await command(this)
    } finally {
      this.#writesLeft = Number.POSITIVE_INFINITY
      this.#isDead = false
      this.cluster.time = new Date(this.cluster.time.getTime() + LATER_MS)
      this.#settle()
    }
    return this.#writes
  }

  /** Whether the last command was killed. */
  get wasKilled(): boolean {
    return this.#death.signal.aborted
  }

  operation(): Operation {
    const signal = AbortSignal.any([this.#death.signal, AbortSignal.timeout(HANGS_MS)])
    return this.cluster.operation({ signal })
  }

  /** The plane as a command finds it; undefined without one. */
  async find(): Promise<Plane | undefined> {
    const [found] = await this.driver.find(PLACE.name, { namespace: PLACE.namespace })
    return found !== undefined && isReadable(found) ? found : undefined
  }

  /** The record of the plane. @default there is none */
  get record(): unknown {
    const path = `/api/v1/namespaces/team-a/secrets/${recordName(PLACE.name)}`
    return this.cluster.api.objects.has(path) ? this.cluster.recordOf(PLACE.name) : undefined
  }

  /** The ordinals of the members that etcd has, and whether all of them run and have a vote. */
  members(): { ordinals: number[]; areWhole: boolean } {
    const ordinals = ORDINALS.filter((ordinal) => this.#member(ordinal) !== undefined)
    const areWhole = ordinals.every(
      (ordinal) => this.#isUp(ordinal) && this.#member(ordinal)?.isLearner !== true,
    )
    return { ordinals, areWhole }
  }

  /** All data is gone: another plane of the name gets another etcd. */
  forget(): void {
    this.#data.clear()
    this.#etcd = undefined
    this.#opening = undefined
    this.#restored = undefined
    this.#isFormed = false
    this.mayLoseData = false
  }

  /** Takes the data of a member away, as a broken disk does. */
  lose(ordinal: number): void {
    this.#data.delete(this.#holder(ordinal) ?? '')
    this.#settle()
  }

  /** Pods do not outlive what made them. */
  #collect(path: string): void {
    const [, workload] = /\/(?:deployments|statefulsets)\/(.+)$/.exec(path) ?? []
    if (workload !== undefined) {
      ORDINALS.forEach((ordinal) =>
        this.cluster.api.remove(`/api/v1/namespaces/team-a/pods/${workload}-${ordinal}`),
      )
    }
  }

  #request({ path, verb }: MemoryRequest): void {
    this.#refuseDead()
    if (
      ['create', 'apply', 'patch', 'replace', 'delete'].includes(verb) &&
      !/\/leases/.test(path)
    ) {
      this.#write()
    }
  }

  #write(): void {
    this.#refuseDead()
    if (this.#writes >= this.#writesLeft) {
      this.#isDead = true
      this.#death.abort(KILLED)
      throw KILLED
    }
    this.#writes += 1
  }

  #refuseDead(): void {
    if (this.#isDead) {
      throw KILLED
    }
  }

  async #open(): Promise<FakeEtcd> {
    this.#etcd = await fakeEtcd(this.cluster, PLACE, {
      count: this.#count,
      most: MOST,
      isUp: (ordinal) => this.#isUp(ordinal),
      onChange: () => this.#write(),
      onChanged: () => this.#settle(),
    })
    this.#settle()
    return this.#etcd
  }

  /** A pod of a template with a restore waits for a snapshot before its etcd starts. */
  #expectSnapshot({ metadata: { uid = '' } }: KubeObject): void {
    const containers = recordsAt(this.#statefulSet(), 'spec', 'template', 'spec', 'initContainers')
    const receiver = containers.find(({ name }) => name === RECEIVER)
    if (receiver !== undefined) {
      this.#restores.set(uid, { of: JSON.stringify(receiver['env']), isDone: false })
    }
  }

  /** A stream to a pod that gets a snapshot. The members of the first one that has it replace those before. */
  #receive(etcd: FakeEtcd, pod: string): Duplex {
    this.#write()
    const ordinal = Number(pod.slice(-1))
    const restore = this.#restoreOf(ordinal)
    const stream = new Duplex({
      read: () => {},
      write: (_chunk, _encoding, taken) => {
        taken()
        stream.push(null)
        if (restore === undefined || restore.isDone) {
          return
        }
        if (this.#restored !== restore.of) {
          this.#restored = restore.of
          etcd.restored(this.#replicas())
        }
        restore.isDone = true
        this.#data.set(this.#holder(ordinal) ?? '', this.#member(ordinal)?.ID ?? '')
        this.#settle()
      },
    })
    return stream
  }

  #restoreOf(ordinal: number): PodRestore | undefined {
    return this.#restores.get(this.cluster.api.objects.get(POD(ordinal))?.metadata.uid ?? '')
  }

  /** Lets members start that may, tells the host which of them run, and checks what must hold. */
  #settle(): void {
    if (this.#isSettling) {
      return
    }
    this.#isSettling = true
    ORDINALS.forEach((ordinal) => this.#start(ordinal))
    ORDINALS.forEach((ordinal) => this.#report(ordinal))
    this.#isSettling = false
    this.#check()
  }

  /** A member without data starts as a new etcd, or joins one, if its file says so. */
  #start(ordinal: number): void {
    const { api } = this.cluster
    const holder = this.#holder(ordinal)
    const waits = !api.objects.has(POD(ordinal)) || this.#restoreOf(ordinal) !== undefined
    if (waits || holder === undefined || this.#data.has(holder)) {
      return
    }
    const member = this.#member(ordinal)
    const file = Object(api.objects.get(CONFIGURATION)?.['data'])[`vplane-dev-etcd-${ordinal}.json`]
    const told = JSON.parse(String(file ?? '{}'))
    if (told['initial-cluster-state'] === 'new') {
      if (this.#isFormed) {
        this.violations.push(`member ${ordinal} starts as a new etcd`)
      } else if (member !== undefined) {
        this.#data.set(holder, member.ID)
      }
    } else if (member?.isLearner === true && told['initial-cluster']?.includes(',') === true) {
      this.#data.set(holder, member.ID)
    }
  }

  #report(ordinal: number): void {
    const { api } = this.cluster
    const pod = api.objects.get(POD(ordinal))
    if (pod === undefined || isReadyPod(pod) === this.#isUp(ordinal)) {
      return
    }
    const isUp = this.#isUp(ordinal)
    const holder = this.#holder(ordinal) ?? ''
    api.texts.set(`${POD(ordinal)}/log`, this.#data.has(holder) ? REMOVED : NO_DATA)
    const restore = this.#restoreOf(ordinal)
    const state = isUp ? { running: {} } : { terminated: { exitCode: 1 } }
    const received = restore?.isDone === true ? { terminated: { exitCode: 0 } } : { running: {} }
    const status = {
      conditions: [{ type: 'Ready', status: isUp ? 'True' : 'False' }],
      ...(restore === undefined
        ? {}
        : { initContainerStatuses: [{ name: RECEIVER, state: received }] }),
      containerStatuses:
        restore?.isDone === false
          ? [{ name: 'etcd', restartCount: 0, state: { waiting: { reason: 'PodInitializing' } } }]
          : [{ name: 'etcd', restartCount: isUp ? 0 : 3, state }],
    }
    api.put(POD(ordinal), { ...pod, status })
  }

  #check(): void {
    const members = ORDINALS.filter((ordinal) => this.#member(ordinal) !== undefined)
    const voters = members.filter((ordinal) => this.#member(ordinal)?.isLearner !== true)
    const withData = voters.filter((ordinal) => this.#hasData(ordinal))
    this.#isFormed ||= withData.length === this.#count
    const isLost = withData.length * 2 <= voters.length
    if (this.#isFormed && !this.mayLoseData && isLost && !this.#isRestoring()) {
      this.violations.push(`of the voters ${voters.join()} only ${withData.join()} have data`)
    }
    const replicas = this.#replicas()
    const above = members.filter((ordinal) => replicas > 0 && ordinal >= replicas)
    if (this.#isFormed && above.some((ordinal) => this.#hasData(ordinal))) {
      this.violations.push(`${replicas} pods for the members ${members.join()}`)
    }
  }

  #member(ordinal: number): { ID: string; isLearner?: boolean } | undefined {
    const isFirst = this.#etcd === undefined && ordinal < this.#count
    return isFirst ? { ID: String(10 + ordinal) } : this.#etcd?.member(ordinal)
  }

  #isUp(ordinal: number): boolean {
    const isStarted = this.#restoreOf(ordinal)?.isDone !== false
    return isStarted && this.cluster.api.objects.has(POD(ordinal)) && this.#hasData(ordinal)
  }

  /** The StatefulSet of etcd. */
  #statefulSet(): KubeObject | undefined {
    return this.cluster.api.objects.get(workloadPath(PLACE, 'etcd'))
  }

  #replicas(): number {
    const statefulSet = this.#statefulSet()
    return statefulSet === undefined ? 0 : wantedReplicas(statefulSet)
  }

  /** The data of a snapshot replaces the plane's. */
  #isRestoring(): boolean {
    return isRecord(this.record) && this.record['restoring'] !== undefined
  }

  #hasData(ordinal: number): boolean {
    const member = this.#member(ordinal)
    return member !== undefined && this.#data.get(this.#holder(ordinal) ?? '') === member.ID
  }

  /** The uid of what the data of a member goes with. */
  #holder(ordinal: number): string | undefined {
    const path = this.userSpec.ephemeral === true ? POD(ordinal) : CLAIM(ordinal)
    return this.cluster.api.objects.get(path)?.metadata.uid
  }
}

interface PodRestore {
  /** Which one: pods of the same one make data of the same members. */
  of: string
  isDone: boolean
}

/** The status of a pod whose containers all had their images. */
function allStarted(pod: KubeObject) {
  const containers = recordsAt(pod, 'spec', 'containers')
  const state = { terminated: { exitCode: 0 } }
  return { containerStatuses: containers.map(({ name }) => ({ name, state })) }
}

/** Runs on a plane. @throws {VplaneError} when it is refused. */
export type Command = (plane: InterruptiblePlane) => Promise<void>
