import {
  addMemberAt,
  isTransient,
  promoteMemberAt,
  removeMemberAt,
} from '../../etcd/members/change-member.ts'
import type { EtcdCluster } from '../../etcd/members/etcd-cluster.ts'
import { isWorking } from '../../etcd/status/member-status.ts'
import type { HeldLease } from '../../kube/lease/held-lease.ts'
import { VplaneError } from '../../shared/errors.ts'
import { formatMetrics } from '../../shared/text/format-metrics.ts'
import type { Duty, KeeperEvent } from '../duties/duty.ts'
import type { MemberFiles } from './member-files.ts'
import type { BrokenPod, MemberPods } from './member-pods.ts'

/** How often members that all work are looked at, and those of which some do not, in milliseconds. */
const CALM_MS = 5000
const BUSY_MS = 1000

/** How long a new pod is left alone whose member is to come, in milliseconds. */
const SETTLE_MS = 30_000

/** What the members of a plane need of the world. */
export interface MembersDependencies {
  openCluster: () => Promise<EtcdCluster>
  pods: MemberPods
  files: MemberFiles
  /** Keeps every vplane from changing the plane; undefined when one is doing that. */
  hold: (
    signal: AbortSignal,
  ) => Promise<Pick<HeldLease, 'check' | keyof AsyncDisposable> | undefined>
  report: (event: KeeperEvent) => void
  now: () => Date
}

export interface MembersOptions {
  plane: string
  /** Name of the member of an ordinal, which is that of its pod. */
  nameOf: (ordinal: number) => string
  /** How many there are. */
  count: number
}

/** What there is to do for an etcd. */
interface Findings {
  working: number[]
  /** Those that copy the data of the others, and have no vote yet. */
  learners: number[]
  broken: BrokenPod[]
}

/**
 * The members of an etcd whose data goes with their pods. One that has lost it leaves etcd for good, and in its place
 * another one comes, as a learner that copies what the others have: never does one vote that has forgotten what it agreed
 * to. Whatever was begun is gone on with by looking again.
 *
 * It keeps no journal. Beside the plane's Lease each write is fenced by what it is about: a member is removed by its id, a
 * pod by its uid, the files change from the version that was read. A change of the plane that was cut off is left alone
 * while etcd is on its way to another number of members; any other takes what it finds of a member to its end, as this
 * does.
 */
export class PlaneMembers implements Duty {
  readonly #deps: MembersDependencies
  readonly #options: MembersOptions
  #replaced = 0
  #isLossReported = false

  constructor(options: MembersOptions, deps: MembersDependencies) {
    this.#options = options
    this.#deps = deps
  }

  /**
   * Does the next step for members that do not work, and once all of them do, tells them that they have data.
   *
   * @returns when to look again.
   * @throws what keeps it from that, unless etcd or the host may take it soon.
   */
  async look(signal: AbortSignal): Promise<Date> {
    let isCalm = false
    try {
      isCalm = await this.#lookOnce(signal)
    } catch (error) {
      const isSoon =
        isTransient(error) || (error instanceof VplaneError && error.code === 'CONFLICT')
      if (signal.aborted || !isSoon) {
        throw error
      }
    }
    return new Date(this.#deps.now().getTime() + (isCalm ? CALM_MS : BUSY_MS))
  }

  metrics(): string {
    const { plane } = this.#options
    return formatMetrics([
      {
        name: 'vplane_etcd_members_replaced_total',
        type: 'counter',
        help: 'How many members of etcd got the data of the others.',
        samples: [{ labels: { plane }, value: this.#replaced }],
      },
    ])
  }

  async #lookOnce(signal: AbortSignal): Promise<boolean> {
    const { files, hold, openCluster } = this.#deps
    const cluster = await openCluster()
    const found = await this.#find(cluster, signal)
    const isWhole = found.working.length === this.#options.count
    if (isWhole ? await files.say(undefined, signal) : !this.#isDue(found)) {
      return isWhole
    }
    if (await this.#isScaled(signal)) {
      return true
    }
    await using held = await hold(signal)
    if (held === undefined || (await this.#isScaled(signal))) {
      return false
    }
    // Whoever held it before may have done it.
    const due = await this.#find(cluster, signal)
    const check = () => held.check()
    if (due.working.length === this.#options.count) {
      await check()
      await files.tell(undefined, signal)
      return true
    }
    if (this.#isDue(due)) {
      await this.#mend(cluster, { due, check, signal })
    }
    return false
  }

  /**
   * Whether etcd is on its way to another number of members. Who was killed at that has noted which of them comes and which
   * goes, and goes on with it: whoever knows another number would take one for lost that was to go, or tell one that was to
   * come that there is nobody to join.
   */
  async #isScaled(signal: AbortSignal): Promise<boolean> {
    return (await this.#deps.files.count(signal)) !== this.#options.count
  }

  async #find(cluster: EtcdCluster, signal: AbortSignal): Promise<Findings> {
    const statuses = await cluster.statuses(signal)
    const ordinals = Array.from(statuses.keys())
    const silent = ordinals.filter((ordinal) => statuses[ordinal] === undefined)
    const broken = await Promise.all(silent.map((one) => this.#deps.pods.broken(one, signal)))
    const working = ordinals.filter((ordinal) => isWorking(statuses[ordinal]))
    return {
      working,
      learners: ordinals.filter((ordinal) => statuses[ordinal]?.isLearner === true),
      broken: broken.filter((pod) => pod !== undefined),
    }
  }

  /** Whether something can be done, which takes a majority without those that are broken. */
  #isDue({ broken, learners, working }: Findings): boolean {
    const { count } = this.#options
    if (broken.length * 2 >= count && working.length === 0) {
      this.#reportLoss(broken)
    }
    return working.length > 0 && broken.length + learners.length > 0
  }

  /** Said once: only a person can decide what is done about it. */
  #reportLoss(broken: readonly BrokenPod[]): void {
    const names = broken.map(({ ordinal }) => this.#options.nameOf(ordinal)).join(', ')
    if (!this.#isLossReported) {
      this.#isLossReported = true
      const message = `etcd has lost its majority with ${names}: the plane has to be repaired`
      this.#deps.report({ level: 'warning', reason: 'MajorityLost', message })
    }
  }

  async #mend(
    cluster: EtcdCluster,
    { check, due, signal }: { due: Findings; check: () => Promise<void>; signal: AbortSignal },
  ): Promise<void> {
    this.#isLossReported = false
    for (const ordinal of due.learners) {
      await check()
      if (await promoteMemberAt(cluster, ordinal, signal)) {
        this.#reportReplaced(ordinal)
      }
    }
    // etcd takes nobody new while it has one that does not work: all of them go first.
    const prepared: BrokenPod[] = []
    for (const pod of due.broken) {
      const member = await cluster.member(pod.ordinal, signal)
      if (member?.isLearner === true && member.name === '') {
        prepared.push(pod)
      } else if (member !== undefined) {
        this.#reportLost(pod)
        await check()
        await removeMemberAt(cluster, pod.ordinal, signal)
      }
    }
    const next = prepared[0] ?? due.broken[0]
    if (next !== undefined && due.learners.length === 0) {
      await this.#bringBack(cluster, next, { isPrepared: prepared.includes(next), check, signal })
    }
  }

  async #bringBack(
    cluster: EtcdCluster,
    pod: BrokenPod,
    {
      check,
      isPrepared,
      signal,
    }: { isPrepared: boolean; check: () => Promise<void>; signal: AbortSignal },
  ): Promise<void> {
    const { files, now, pods } = this.#deps
    const { nameOf } = this.#options
    const absent = await cluster.absent(signal)
    const joining = {
      name: nameOf(pod.ordinal),
      absent: absent.filter((ordinal) => ordinal !== pod.ordinal).map(nameOf),
    }
    const isPublished = isPrepared && (await files.say(joining, signal))
    if (isPublished && now().getTime() - pod.createdAt.getTime() < SETTLE_MS) {
      // It may be the new one, whose first try came before the others could be reached.
      return
    }
    if (!isPrepared) {
      await check()
      await addMemberAt(cluster, pod.ordinal, signal)
    }
    await check()
    await files.tell(joining, signal)
    await check()
    await pods.remove(pod, signal)
  }

  #reportLost({ ordinal, reason }: BrokenPod): void {
    const message = `${this.#options.nameOf(ordinal)} ${reason}: another member takes its place`
    this.#deps.report({ level: 'warning', reason: 'MemberLost', message })
  }

  #reportReplaced(ordinal: number): void {
    this.#replaced += 1
    const message = `${this.#options.nameOf(ordinal)} has the data of the others`
    this.#deps.report({ level: 'normal', reason: 'MemberReplaced', message })
  }
}
