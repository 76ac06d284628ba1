import { isTransient } from '../../etcd/members/is-transient.ts'
import type { EtcdCluster, ProbedEtcd } from '../../etcd/members/etcd-cluster.ts'
import { changeMembership } from '../../etcd/members/change-membership.ts'
import { nextStep } from '../../etcd/planner/next-step.ts'
import { judgeAlarms, plannedAlarms } from '../../etcd/members/judge-alarms.ts'
import { isStep, type MemberPlan, type MemberStep } from '../../etcd/planner/observed-etcd.ts'
import { isWorking } from '../../etcd/status/member-status.ts'
import type { HeldLease } from '../../kube/lease/held-lease.ts'
import { isVplaneError, VplaneError } from '../../shared/errors.ts'
import { formatMetrics } from '../../shared/text/format-metrics.ts'
import type { Duty, KeeperEvent } from '../duties/duty.ts'
import type { MemberFiles } from '../../drivers/kubernetes/etcd/members/member-files.ts'
import type { MemberPods, MemberReport } from './member-pods.ts'

/** How often members are checked: while all of them work, and while some do not. */
const CALM_INTERVAL_MS = 5000
const BUSY_INTERVAL_MS = 1000

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
  nameOf: (ordinal: number) => string
  /** The wanted number of members. */
  count: number
}

/** The next step, and why members cannot continue, by ordinal. */
interface Decision {
  plan: MemberPlan
  reasons: ReadonlyMap<number, string | undefined>
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
   * Does the steps that are due for members that do not work. Once all of them work, it publishes that all have data.
   *
   * @throws what prevented it, except transient errors of etcd and conflicts.
   */
  async reconcile(signal: AbortSignal): Promise<Date> {
    let isCalm = false
    try {
      isCalm = await this.#step(signal)
    } catch (error) {
      const isConflict = isVplaneError(error, 'CONFLICT')
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
        help: 'Number of etcd members that the keeper replaced.',
        samples: [{ labels: { plane }, value: this.#replaced }],
      },
    ])
  }

  /** Returns whether nothing is left to do for now. */
  async #step(signal: AbortSignal): Promise<boolean> {
    const { hold, openCluster } = this.#deps
    const cluster = await openCluster()
    const found = await this.#decide(cluster, signal)
    if (found === undefined || !isStep(found.plan)) {
      return this.#isCalm(found)
    }
    await using held = await hold(signal)
    if (held === undefined) {
      return false
    }
    for (;;) {
      // The previous holder of the Lease may have done the step.
      const due = await this.#decide(cluster, signal)
      if (due === undefined || !isStep(due.plan)) {
        return this.#isCalm(due)
      }
      this.#isLossReported = false
      await held.check()
      await this.#do(cluster, due.plan, { reasons: due.reasons, signal })
    }
  }

  #isCalm(decision: Decision | undefined): boolean {
    if (decision?.plan.kind === 'stuck' && decision.plan.why === 'majority-lost') {
      this.#reportLoss(decision.plan.ordinals)
    }
    return decision === undefined || decision.plan.kind === 'done'
  }

  /**
   * Returns the next step; undefined while etcd is being scaled. An interrupted scaling is continued by the vplane that
   * started it. With another number of members, this keeper would replace a member that is to be removed, or keep a new
   * one from joining.
   */
  async #decide(cluster: EtcdCluster, signal: AbortSignal): Promise<Decision | undefined> {
    const { count } = this.#options
    const files = await this.#deps.files.read(signal)
    if (files.count !== count) {
      return undefined
    }
    const { judged, members, probed } = await this.#observe(cluster, signal)
    const places = members.map(({ place }) => place)
    const reasons = new Map(members.map(({ place, reason }) => [place.ordinal, reason]))
    const observed = {
      leader: probed.leader,
      members: probed.members,
      places,
      joining: files.joining,
      replicas: count,
      ...plannedAlarms(judged, places),
      // The keeper never scales etcd.
      resourceVersions: { files: files.resourceVersion, statefulSet: '' },
    }
    return { plan: nextStep(observed, { count, isEphemeral: true }), reasons }
  }

  /** Returns what is known about each member, by etcd, by its host, and by its alarms. */
  async #observe(cluster: EtcdCluster, signal: AbortSignal) {
    const probed = await cluster.probe(signal)
    const ordinals = Array.from({ length: this.#options.count }, (_, ordinal) => ordinal)
    const inspected = await Promise.all(
      ordinals.map((ordinal) => this.#inspect(probed, ordinal, signal)),
    )
    const doubted = ordinals.filter((ordinal) => inspected[ordinal]?.isDoubted === true)
    const judged = await judgeAlarms(cluster, probed, { doubted, signal })
    const members = inspected.map(async (member): Promise<MemberReport> => {
      const { ordinal, pod } = member.place
      if (!judged.corrupt.includes(ordinal)) {
        return member
      }
      // It may answer nevertheless.
      const { place } = pod ? member : await this.#deps.pods.inspect(ordinal, signal)
      const reason = 'has other data than the majority'
      return { place: { ...place, works: 'no', damage: 'corrupt' }, reason }
    })
    return { judged, members: await Promise.all(members), probed }
  }

  async #inspect(
    { members, statuses }: ProbedEtcd,
    ordinal: number,
    signal: AbortSignal,
  ): Promise<MemberReport> {
    const status = statuses[ordinal]
    const member = members?.find((one) => one.ordinal === ordinal)
    const isOther = members !== undefined && status?.id !== member?.id
    return !isOther && (isWorking(status) || status?.isLearner === true)
      ? { place: { ordinal, works: 'yes' } }
      : this.#deps.pods.inspect(ordinal, signal)
  }

  async #do(
    cluster: EtcdCluster,
    step: MemberStep,
    { reasons, signal }: { reasons: Decision['reasons']; signal: AbortSignal },
  ): Promise<void> {
    const { files, pods } = this.#deps
    switch (step.kind) {
      case 'remove-member':
        this.#reportLost(step.ordinal, reasons)
        return changeMembership(cluster, step, signal)
      case 'promote-member':
        await changeMembership(cluster, step, signal)
        return this.#reportReplaced(step.ordinal)
      case 'add-member':
      case 'move-leader':
      case 'disarm':
        return changeMembership(cluster, step, signal)
      case 'open-files':
      case 'close-files': {
        const { resourceVersion } = step
        const joining = step.kind === 'open-files' ? step.joining : undefined
        return files.publish(joining, { resourceVersion, signal })
      }
      case 'delete-pod':
        return pods.remove(step, signal)
      case 'scale':
      case 'delete-claim':
        throw new VplaneError(
          'FAILED',
          `the keeper cannot ${step.kind}: it only replaces members of ephemeral control planes`,
        )
    }
  }

  /** Reports once: only a user can decide how to repair it. */
  #reportLoss(ordinals: readonly number[]): void {
    const names = ordinals.map(this.#options.nameOf).join(', ')
    if (!this.#isLossReported) {
      this.#isLossReported = true
      const message = `etcd has lost its majority with ${names}: the plane has to be repaired`
      this.#deps.report({ level: 'warning', reason: 'MajorityLost', message })
    }
  }

  #reportLost(ordinal: number, reasons: Decision['reasons']): void {
    const reason = reasons.get(ordinal)
    if (reason !== undefined) {
      const message = `${this.#options.nameOf(ordinal)} ${reason}: another member replaces it`
      this.#deps.report({ level: 'warning', reason: 'MemberLost', message })
    }
  }

  #reportReplaced(ordinal: number): void {
    this.#replaced += 1
    const message = `${this.#options.nameOf(ordinal)} has the data of the others`
    this.#deps.report({ level: 'normal', reason: 'MemberReplaced', message })
  }
}
