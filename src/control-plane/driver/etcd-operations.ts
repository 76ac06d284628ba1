import type { Operation } from './operation.ts'
import type { LostVersion } from '../spec/lost-versions.ts'
import type { Plane } from '../plane/plane.ts'

/** Objects that etcd stores in a version of their API that is not served, or will not be. */
export interface StaleObjects {
  /** The resource for kubectl: `workloads.scheduling.k8s.io`. */
  resource: string
  /** The stored version: `scheduling.k8s.io/v1alpha1`. */
  apiVersion: string
  count: number
  /** Another served version exists, in which they can be stored again. */
  hasOther: boolean
  /** A CustomResourceDefinition defines their API. */
  isCustom: boolean
}

export interface EtcdOperations {
  /**
   * Finds objects that are stored in versions of built-in APIs that an upgrade removes (`lost`), or in a version that
   * their CustomResourceDefinition does not serve.
   * @throws {VplaneError} `FAILED` when no etcd member runs, `UNREACHABLE`.
   */
  staleObjects(
    plane: Plane,
    lost: readonly LostVersion[],
    signal: AbortSignal,
  ): Promise<StaleObjects[]>

  /**
   * During an upgrade of etcd to another minor: whether the previous `version` can still use the data. This is so while
   * the cluster version is the previous minor, or if no member of the new minor has run. False if it is unknown.
   */
  canReturnTo(plane: Plane, version: string, signal: AbortSignal): Promise<boolean>

  /**
   * Gives the members that have data a majority again, together with empty members, while only etcd runs. The member
   * with the latest data leads, and the data of every log is included. Until a restore the plane must not be used,
   * because its clients may know later revisions. Another call continues an interrupted one. Returns the member that
   * has all of the data.
   * @throws {VplaneError} `COMPONENT_FAILED` when no such member can run, `TIMED_OUT`, `FAILED` when no member has
   * data.
   */
  regainMajority(plane: Plane, operation: Operation): Promise<string>

  /**
   * Returns when all members of a new plane have stored data. From then on an empty volume is a loss of data, and never
   * becomes an empty plane.
   * @throws {VplaneError} `COMPONENT_FAILED` when a member can never run, `TIMED_OUT` when one does not.
   */
  settle(plane: Plane, operation: Operation): Promise<void>
}

/** Lines for people about stale objects and what to do with them; empty if none exist. */
export function staleObjectLines(found: readonly StaleObjects[], version: string): string[] {
  const custom = found.filter(({ isCustom }) => isCustom)
  const builtIn = found.filter(({ isCustom }) => !isCustom)
  return [
    ...titled(
      `etcd stores objects in versions that Kubernetes ${version} does not have:`,
      builtIn.map(lineOf),
    ),
    ...titled(
      'etcd stores objects in versions that their CustomResourceDefinitions do not serve:',
      custom.map(lineOf),
    ),
  ]
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]
}

function lineOf({ apiVersion, count, hasOther, resource }: StaleObjects): string {
  const get = `kubectl get ${resource} -A -o json`
  const advice = hasOther
    ? `store them again: ${get} | kubectl replace -f -`
    : `save those you need (${get}), and delete them: no other version exists yet`
  return `${count} of ${resource} as ${apiVersion}; ${advice}`
}
