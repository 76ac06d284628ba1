import type { Operation } from './operation.ts'
import type { LostVersion } from '../spec/lost-versions.ts'
import type { Plane } from '../plane/plane.ts'

/** Objects that etcd holds in a version of their API that is not served, or will not be. */
export interface StaleObjects {
  /** As kubectl takes it: `workloads.scheduling.k8s.io`. */
  resource: string
  /** In which they are stored: `scheduling.k8s.io/v1alpha1`. */
  apiVersion: string
  count: number
  /** There is another version in which they can be written again. */
  hasOther: boolean
  /** Their API comes with a CustomResourceDefinition, not with Kubernetes. */
  isCustom: boolean
}

/** What a driver looks up in etcd itself and does with it, as no API does. */
export interface PlaneEtcd {
  /**
   * Objects that are stored in versions of Kubernetes' own APIs that go away, or in a version that their
   * CustomResourceDefinition does not serve.
   *
   * @param lost the versions that go away
   * @throws {VplaneError} `FAILED` when no etcd of it runs, `UNREACHABLE`.
   */
  staleObjects(
    plane: Plane,
    lost: readonly LostVersion[],
    signal: AbortSignal,
  ): Promise<StaleObjects[]>

  /**
   * Tells whether etcd of the minor before can go on with the data of a plane whose etcd is being brought to the next one:
   * the members still work together by the minor before, or none of the next one ever ran. False when it cannot be told.
   *
   * @param version of etcd, to go back to
   */
  canReturnTo(plane: Plane, version: string, signal: AbortSignal): Promise<boolean>

  /**
   * Lets the members that have data have a majority again, with others that come back without any, while nothing but etcd
   * runs: who knows most leads, and all that any log of theirs holds is there. Until a restore the plane is not to be used:
   * its clients may have seen more. The same call goes on with one that was cut off.
   *
   * @returns the member that has all of it.
   * @throws {VplaneError} `COMPONENT_FAILED` when no such member can run, `TIMED_OUT`, `FAILED` when there is nothing to regain.
   */
  regainMajority(plane: Plane, operation: Operation): Promise<string>

  /**
   * Returns when an empty volume of a plane that was just made is a loss, and can become an empty plane no more: all members
   * have begun. Does nothing where that is so.
   *
   * @throws {VplaneError} `COMPONENT_FAILED` when a member can never run, `TIMED_OUT` when one does not.
   */
  settle(plane: Plane, operation: Operation): Promise<void>
}

/** What is stored so and what can be done about it, as people read it; nothing when there is none. */
export function staleObjectLines(found: readonly StaleObjects[], version: string): string[] {
  const custom = found.filter(({ isCustom }) => isCustom)
  const builtIn = found.filter(({ isCustom }) => !isCustom)
  return [
    ...titled(
      `etcd holds objects in versions that Kubernetes ${version} does not have:`,
      builtIn.map(lineOf),
    ),
    ...titled(
      'etcd holds objects in versions that their CustomResourceDefinitions do not serve:',
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
    ? `write them again: ${get} | kubectl replace -f -`
    : `keep what you need of them (${get}), and delete them: there is no other version yet`
  return `${count} of ${resource} as ${apiVersion}; ${advice}`
}
