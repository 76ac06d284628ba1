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

/** How often members are checked: while all of them work, and while some do not. */
const CALM_INTERVAL_MS = 5000
const BUSY_INTERVAL_MS = 1000

/** How long a new pod has to join etcd before it is replaced, in milliseconds. */
const JOIN_TIMEOUT_MS = 30_000

export interface MembersDependencies {
  openCluster: () => Promise<EtcdCluster>
  pods: MemberPods
  files: MemberFiles
  /** Holds the plane's Lease. Returns undefined while another vplane holds it. */
  hold: (
    signal: AbortSignal,
  ) => Promise<Pick<HeldLease, 'check' | keyof AsyncDisposable> | undefined>
  report: (event: KeeperEvent) => void
  now: () => Date
}

export interface MembersOptions {
  plane: string
  /** The name of a member and its pod. */
  nameOf: (ordinal: number) => string
  /** The wanted number of members. */
  count: number
}

interface Findings {
  working: number[]
  /** Members that still copy the data of the others, and have no vote yet. */
  learners: number[]
  broken: BrokenPod[]
}

/**
 * Replaces members of an etcd without volumes that lost their data. Such a member is removed, and a new one joins as a
 * learner and copies the data of the others: a member that has lost its log must never vote again.
 *
 * There is no journal: each step is derived from the current state. Beside the plane's Lease, each write is fenced by
 * its object: a member is removed by its id, a pod is deleted by its uid, and files are replaced at the version that
 * was read. During an interrupted scaling of etcd it does nothing.
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
   * Does the next step for members that do not work. Once all of them work, it publishes that all have data.
   *
   * @throws what prevented it, except transient errors of etcd and conflicts.
   */
  async reconcile(signal: AbortSignal): Promise<Date> {
    let isCalm = false
    try {
      isCalm = await this.#step(signal)
    } catch (error) {
      const isConflict = error instanceof VplaneError && error.code === 'CONFLICT'
      if (signal.aborted || !(isConflict || isTransient(error))) {
        throw error
      }
    }
    const intervalMs = isCalm ? CALM_INTERVAL_MS : BUSY_INTERVAL_MS
    return new Date(this.#deps.now().getTime() + intervalMs)
  }

  metrics(): string {
    const { plane } = this.#options
    return formatMetrics([
      {
        name: 'vplane_etcd_members_replaced_total',
        type: 'counter',
        help: 'Members of etcd that were replaced.',
        samples: [{ labels: { plane }, value: this.#replaced }],
      },
    ])
  }

  /** Returns whether nothing is left to do for now. */
  async #step(signal: AbortSignal): Promise<boolean> {
    const { files, hold, openCluster } = this.#deps
    const cluster = await openCluster()
    const found = await this.#find(cluster, signal)
    const isWhole = found.working.length === this.#options.count
    if (isWhole ? await files.allow(undefined, signal) : !this.#isDue(found)) {
      return isWhole
    }
    if (await this.#isScaled(signal)) {
      return true
    }
    await using held = await hold(signal)
    if (held === undefined || (await this.#isScaled(signal))) {
      return false
    }
    // The previous holder of the Lease may have done the step.
    const due = await this.#find(cluster, signal)
    const check = () => held.check()
    if (due.working.length === this.#options.count) {
      await check()
      await files.publish(undefined, signal)
      return true
    }
    if (this.#isDue(due)) {
      await this.#repair(cluster, { due, check, signal })
    }
    return false
  }

  /**
   * Whether etcd is being scaled. An interrupted scaling is continued by the vplane that started it. With another
   * number of members, this keeper would replace a member that is to be removed, or keep a new one from joining.
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

  /** Whether a step is due and possible: etcd needs a majority without the broken members. */
  #isDue({ broken, learners, working }: Findings): boolean {
    const { count } = this.#options
    if (broken.length * 2 >= count && working.length === 0) {
      this.#reportLoss(broken)
    }
    return working.length > 0 && broken.length + learners.length > 0
  }

  /** Reports once: only a user can decide how to repair it. */
  #reportLoss(broken: readonly BrokenPod[]): void {
    const names = broken.map(({ ordinal }) => this.#options.nameOf(ordinal)).join(', ')
    if (!this.#isLossReported) {
      this.#isLossReported = true
      const message = `etcd has lost its majority with ${names}: the plane has to be repaired`
      this.#deps.report({ level: 'warning', reason: 'MajorityLost', message })
    }
  }

  async #repair(
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
    // etcd accepts no new member while one does not work: all broken members are removed first.
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
      await this.#replace(cluster, next, { isPrepared: prepared.includes(next), check, signal })
    }
  }

  async #replace(
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
    const isPublished = isPrepared && (await files.allow(joining, signal))
    if (isPublished && now().getTime() - pod.createdAt.getTime() < JOIN_TIMEOUT_MS) {
      // This may be the new pod, which restarts until it can reach the others.
      return
    }
    if (!isPrepared) {
      await check()
      await addMemberAt(cluster, pod.ordinal, signal)
    }
    await check()
    await files.publish(joining, signal)
    await check()
    await pods.remove(pod, signal)
  }

  #reportLost({ ordinal, reason }: BrokenPod): void {
    const message = `${this.#options.nameOf(ordinal)} ${reason}: another member replaces it`
    this.#deps.report({ level: 'warning', reason: 'MemberLost', message })
  }

  #reportReplaced(ordinal: number): void {
    this.#replaced += 1
    const message = `${this.#options.nameOf(ordinal)} has the data of the others`
    this.#deps.report({ level: 'normal', reason: 'MemberReplaced', message })
  }
}
