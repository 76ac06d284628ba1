import { deepStrictEqual, ok } from 'node:assert/strict'
import type { Damage } from '../../../src/etcd/repair/data-damage.ts'
import type { Alarm } from '../../../src/etcd/status/alarms.ts'
import type {
  Joining,
  Known,
  MembershipStep,
  MemberStep,
  ObservedEtcd,
  WantedEtcd,
} from '../../../src/etcd/planner/observed-etcd.ts'

interface Volume {
  uid: string
  /** The id of the member whose data it has. @default it is empty */
  data?: string | undefined
  isCorrupt: boolean
  isEnding: boolean
}

interface SimulatedPod {
  uid: string
  revision: number
  isEnding: boolean
  /** Its process does not run. */
  isStopped: boolean
  /** The volume of an ephemeral plane's pod; else that of its claim. */
  volume: Volume
  age: number
}

interface SimulatedMember {
  id: string
  ordinal: number
  isLearner: boolean
  hasStarted: boolean
}

/** etcd, its StatefulSet and its volumes in memory; asserts on each step what must never happen. */
export class SimulatedEtcd {
  members: SimulatedMember[] = []
  leader: string | undefined
  replicas = 0
  revision = 1
  joining: Joining | 'all' | undefined = 'all'
  staleAlarms: readonly Alarm[] = []
  readonly wanted: WantedEtcd
  readonly #alarms = new Map<number, ObservedEtcd['alarms'][number]>()
  readonly pods = new Map<number, SimulatedPod>()
  readonly claims = new Map<number, Volume>()
  #last = 0
  #versions = { statefulSet: '0', files: '0' }

  /** Bootstraps all members together. */
  constructor(wanted: WantedEtcd) {
    this.wanted = wanted
    this.replicas = wanted.count
    for (let ordinal = 0; ordinal < wanted.count; ordinal += 1) {
      this.#startPod(ordinal)
      const id = this.#next('member')
      this.members.push({ id, ordinal, isLearner: false, hasStarted: true })
      this.#volume(ordinal).data = id
    }
    this.settle()
  }

  /** What a vplane sees; facts about the given ordinals are unknown. */
  observe(unknown: readonly number[] = []): ObservedEtcd {
    const ordinals = Array.from({ length: 9 }, (_, ordinal) => ordinal)
    const known = (ordinal: number, fact: boolean): Known =>
      unknown.includes(ordinal) ? 'unknown' : fact ? 'yes' : 'no'
    return {
      members: this.hasMajority() ? this.members.map((member) => ({ ...member })) : undefined,
      leader: this.hasMajority() ? this.leader : undefined,
      places: ordinals
        .filter((one) => this.pods.has(one) || this.claims.has(one) || this.#member(one))
        .map((ordinal) => {
          const pod = this.pods.get(ordinal)
          const claim = this.claims.get(ordinal)
          return {
            ordinal,
            works: known(ordinal, this.#runs(ordinal) && this.hasMajority()),
            damage: unknown.includes(ordinal) ? undefined : this.#damage(ordinal),
            pod: pod && {
              uid: pod.uid,
              isReady: this.#runs(ordinal) && this.hasMajority() && this.staleAlarms.length === 0,
              isStale: pod.revision !== this.revision,
              isOverdue: pod.age > 5,
              isEnding: pod.isEnding,
            },
            claim: claim && { uid: claim.uid, isEnding: claim.isEnding },
          }
        }),
      replicas: this.replicas,
      joining: this.joining,
      alarms: this.hasMajority() ? [...this.#alarms.values()] : [],
      staleAlarms: this.hasMajority() ? this.staleAlarms : [],
      resourceVersions: { ...this.#versions },
    }
  }

  /** Does a step if what it acts on still exists, and asserts what must hold. */
  apply(step: MemberStep): void {
    // The pod of a single member may be replaced: its volume stays.
    const isSingle = this.#voters().length === 1 && step.kind === 'delete-pod'
    const hadMajority = this.hasMajority() && !isSingle
    this.#check(step)
    this.#do(step)
    if (hadMajority) {
      ok(this.hasMajority(), `no majority works after ${step.kind}`)
    }
  }

  #check(step: MemberStep): void {
    const others = (ordinal: number) =>
      this.members.filter(
        (one) => one.ordinal !== ordinal && !one.isLearner && this.#runs(one.ordinal),
      )
    if (
      step.kind === 'scale' &&
      this.#isCurrent('statefulSet', step) &&
      step.replicas < this.replicas
    ) {
      const left = this.members.filter(({ ordinal }) => ordinal >= step.replicas)
      deepStrictEqual(left, [], 'a member is at an ordinal that goes')
    }
    if (step.kind === 'promote-member') {
      const isOpen = typeof this.joining === 'object' && this.joining.ordinal === step.ordinal
      ok(!isOpen, 'a member with a vote could start without data')
    }
    if (step.kind === 'remove-member' && step.ordinal < this.wanted.count) {
      const pod = this.pods.get(step.ordinal)
      const isRenewed = this.wanted.isEphemeral && pod?.revision !== this.revision
      const isWhole = pod?.volume.data === step.id && !pod.volume.isCorrupt && !pod.isEnding
      // Of a learner that stopped before it published its name, nobody knows whether it has data.
      const isKnown = this.#member(step.ordinal)?.hasStarted === true
      ok(isRenewed || !isWhole || !isKnown, 'a member with all its data leaves etcd')
    }
    if (step.kind === 'delete-claim' && this.claims.get(step.ordinal)?.uid === step.uid) {
      this.#checkRemoval(step.ordinal)
    }
    const pod = step.kind === 'delete-pod' ? this.pods.get(step.ordinal) : undefined
    if (step.kind === 'delete-pod' && pod?.uid === step.uid && !pod.isEnding) {
      if (this.wanted.isEphemeral) {
        this.#checkRemoval(step.ordinal)
      }
      const voters = this.members.filter(({ isLearner }) => !isLearner)
      const isOne = this.#runs(step.ordinal) && this.#member(step.ordinal)?.isLearner === false
      if (isOne && this.hasMajority() && voters.length > 1) {
        ok(others(step.ordinal).length * 2 > voters.length, 'the others are no majority')
      }
    }
  }

  /** Data goes only when no member has it, and a working voter has a copy. */
  #checkRemoval(ordinal: number): void {
    ok(this.#member(ordinal) === undefined, `etcd has a member at ${ordinal}`)
    const copies = this.members.filter((one) => !one.isLearner && this.#runs(one.ordinal))
    ok(copies.length > 0, 'no working voter has the data')
  }

  #do(step: MemberStep): void {
    switch (step.kind) {
      case 'add-member':
      case 'promote-member':
      case 'remove-member':
      case 'move-leader':
      case 'disarm':
        this.change(step)
        return
      case 'open-files':
      case 'close-files':
        if (this.#isCurrent('files', step)) {
          this.joining = step.kind === 'open-files' ? step.joining : undefined
          this.#versions.files = this.#next('version')
        }
        return
      case 'scale':
        if (this.#isCurrent('statefulSet', step)) {
          this.replicas = step.replicas
          this.#versions.statefulSet = this.#next('version')
        }
        return
      case 'delete-claim': {
        const claim = this.claims.get(step.ordinal)
        if (claim?.uid === step.uid) {
          claim.isEnding = true
        }
        return
      }
      case 'delete-pod': {
        const pod = this.pods.get(step.ordinal)
        if (pod?.uid === step.uid) {
          pod.isEnding = true
        }
      }
    }
  }

  /** Changes the list of members as etcd does; returns whether it takes the change. */
  change(step: MembershipStep): boolean {
    if (!this.hasMajority()) {
      return false
    }
    if (step.kind === 'disarm') {
      this.staleAlarms = this.staleAlarms.filter((one) => !step.alarms.includes(one))
      return true
    }
    if (step.kind === 'add-member') {
      const { ordinal } = step
      const isHealthy = this.#voters().every((one) => this.#runs(one.ordinal))
      const isTaken = this.members.some((one) => one.isLearner || one.ordinal === ordinal)
      if (isHealthy && !isTaken) {
        const id = this.#next('member')
        this.members.push({ id, ordinal, isLearner: true, hasStarted: false })
      }
      return isHealthy && !isTaken
    }
    const member = this.members.find(({ id }) => id === step.id)
    if (member === undefined || (step.kind !== 'remove-member' && !this.#runs(member.ordinal))) {
      return false
    }
    if (step.kind === 'remove-member') {
      this.members = this.members.filter((one) => one !== member)
      this.staleAlarms = [...this.staleAlarms, { kind: 'CORRUPT', memberId: member.id }]
    } else if (step.kind === 'promote-member') {
      member.isLearner = false
    } else {
      this.leader = member.id
    }
    return true
  }

  #isCurrent(object: 'statefulSet' | 'files', step: { resourceVersion: string }): boolean {
    return this.#versions[object] === step.resourceVersion
  }

  /** Lets the host and the processes of etcd do one thing each. */
  settle(): void {
    for (const [ordinal, pod] of this.pods) {
      pod.age += 1
      if (pod.isEnding || ordinal >= this.replicas) {
        this.pods.delete(ordinal)
      }
    }
    for (const [ordinal, claim] of this.claims) {
      if (claim.isEnding && !this.pods.has(ordinal)) {
        this.claims.delete(ordinal)
      }
    }
    for (let ordinal = 0; ordinal < this.replicas; ordinal += 1) {
      if (!this.pods.has(ordinal) && this.claims.get(ordinal)?.isEnding !== true) {
        this.#startPod(ordinal)
      }
      this.#join(ordinal)
    }
    const leader = this.members.find(({ id }) => id === this.leader)
    if (leader === undefined || !this.#runs(leader.ordinal)) {
      this.leader = this.#voters().find(({ ordinal }) => this.#runs(ordinal))?.id
    }
  }

  /** A pod without data joins when the files let it, and name exactly the members that etcd has. */
  #join(ordinal: number): void {
    const member = this.#member(ordinal)
    const listed = this.members.map((one) => one.ordinal).toSorted((one, other) => one - other)
    const { joining } = this
    const isLetIn =
      joining !== undefined &&
      joining !== 'all' &&
      joining.ordinal === ordinal &&
      String(joining.peers) === String(listed)
    const volume = this.#volume(ordinal)
    if (
      member?.hasStarted === false &&
      volume.data === undefined &&
      isLetIn &&
      this.pods.get(ordinal)?.isStopped === false &&
      this.hasMajority()
    ) {
      volume.data = member.id
    } else if (member !== undefined && this.#runs(ordinal) && this.hasMajority()) {
      // It publishes its name after it has started.
      member.hasStarted = true
    }
  }

  /** The data of a voter is lost or cannot be read, if the others stay a majority. Returns whether it happened. */
  damage(ordinal: number, how: 'wipe' | 'corrupt' | 'kill'): boolean {
    const pod = this.pods.get(ordinal)
    const losesData = how !== 'kill' || this.wanted.isEphemeral
    const left = this.#voters().filter((one) => one.ordinal !== ordinal && this.#runs(one.ordinal))
    if (pod === undefined || (losesData && left.length * 2 <= this.#voters().length)) {
      return false
    }
    if (how === 'kill') {
      pod.isEnding = true
    } else if (how === 'wipe') {
      this.#volume(ordinal).data = undefined
    } else {
      this.#volume(ordinal).isCorrupt = true
    }
    return true
  }

  /** Ends the process of a member for a while, or starts it again with its data. */
  setStopped(ordinal: number, isStopped: boolean): void {
    const pod = this.pods.get(ordinal)
    if (pod !== undefined) {
      pod.isStopped = isStopped
    }
  }

  /** Raises an alarm of a member, or clears it. */
  setAlarm(ordinal: number, alarm: ObservedEtcd['alarms'][number] | undefined): void {
    if (alarm === undefined) {
      this.#alarms.delete(ordinal)
    } else {
      this.#alarms.set(ordinal, alarm)
    }
  }

  hasMajority(): boolean {
    const voters = this.#voters()
    return voters.filter(({ ordinal }) => this.#runs(ordinal)).length * 2 > voters.length
  }

  #voters(): SimulatedMember[] {
    return this.members.filter(({ isLearner }) => !isLearner)
  }

  #member(ordinal: number): SimulatedMember | undefined {
    return this.members.find((one) => one.ordinal === ordinal)
  }

  #runs(ordinal: number): boolean {
    const pod = this.pods.get(ordinal)
    const member = this.#member(ordinal)
    return (
      pod?.isEnding === false &&
      !pod.isStopped &&
      member !== undefined &&
      !pod.volume.isCorrupt &&
      pod.volume.data === member.id
    )
  }

  #damage(ordinal: number): Damage | undefined {
    const pod = this.pods.get(ordinal)
    if (pod === undefined || pod.isEnding || pod.isStopped || this.#runs(ordinal)) {
      return undefined
    }
    const { data, isCorrupt } = pod.volume
    return isCorrupt ? 'corrupt' : data === undefined ? 'lost' : 'removed'
  }

  #volume(ordinal: number): Volume {
    const pod = this.pods.get(ordinal)
    if (pod === undefined) {
      throw new Error(`no pod runs at ${ordinal}`)
    }
    return pod.volume
  }

  #startPod(ordinal: number): void {
    const empty = (): Volume => ({ uid: this.#next('volume'), isCorrupt: false, isEnding: false })
    const volume = this.wanted.isEphemeral ? empty() : (this.claims.get(ordinal) ?? empty())
    if (!this.wanted.isEphemeral) {
      this.claims.set(ordinal, volume)
    }
    const uid = this.#next('pod')
    this.pods.set(ordinal, {
      uid,
      revision: this.revision,
      isEnding: false,
      isStopped: false,
      volume,
      age: 0,
    })
  }

  #next(what: string): string {
    this.#last += 1
    return `${what}-${this.#last}`
  }
}
