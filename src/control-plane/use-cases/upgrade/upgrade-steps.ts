import type { ChangePlan, SpecChange } from '../../changes/changed-spec.ts'
import { EMULATING } from '../../components/arguments/emulated-version.ts'
import type { Driver } from '../../driver/driver.ts'
import type { Plane } from '../../plane/plane.ts'
import { type PlaneSpecs, specsOf } from '../../spec/plane-specs.ts'

interface PlannedUpgrade {
  driver: Driver
  plane: Plane
  stages: readonly SpecChange[]
  signal: AbortSignal
}

/**
 * Lists what the stages of an upgrade would do, in order: `Kubernetes 1.36.3 as 1.35.4: restart kube-apiserver`.
 * Components that run as the version before are replaced once more. The steps of a single stage do not name it.
 */
export async function upgradeSteps(upgrade: PlannedUpgrade): Promise<ChangePlan> {
  const { driver, plane, signal, stages } = upgrade
  const planned: string[] = []
  const steps: string[] = []
  let objects: string[] = []
  let before = specsOf(plane)
  for (const stage of stages) {
    const plan = await driver.plan(plane, { ...stage, from: specsOf(plane) }, signal)
    const { steps: lines } = plan
    objects = plan.objects
    const isAsItself =
      before.spec.upgradingFrom !== undefined && stage.spec.upgradingFrom === undefined
    const own = lines.filter((line) => !planned.includes(line) || (isAsItself && isReplacing(line)))
    const words = upgradeWords(stage, before)
    steps.push(...(stages.length === 1 ? own : own.map((line) => `${words}: ${line}`)))
    planned.push(...lines)
    before = specsOf(stage)
  }
  return { steps, objects }
}

/** Describes a plane during an upgrade: by the version of its etcd where that differs from `other`, else of Kubernetes. */
export function upgradeWords({ spec }: PlaneSpecs, other?: PlaneSpecs): string {
  const { etcdVersion, upgradingFrom, version } = spec
  if (other !== undefined && other.spec.etcdVersion !== etcdVersion) {
    return `etcd ${etcdVersion}`
  }
  return upgradingFrom === undefined
    ? `Kubernetes ${version}`
    : `Kubernetes ${version} as ${upgradingFrom}`
}

/** Whether a step restarts a component that has run as the version before. */
function isReplacing(line: string): boolean {
  return /^(replace|restart) /.test(line) && EMULATING.some((component) => line.includes(component))
}
