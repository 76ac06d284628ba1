import { isDeepStrictEqual } from 'node:util'
import type { PlanStep } from '../../../shared/plan-step.ts'
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
  const planned: PlanStep[] = []
  const steps: PlanStep[] = []
  let objects: string[] = []
  let before = specsOf(plane)
  for (const stage of stages) {
    const plan = await driver.plan(plane, { ...stage, from: specsOf(plane) }, signal)
    objects = plan.objects
    const isAsItself =
      before.spec.upgradingFrom !== undefined && stage.spec.upgradingFrom === undefined
    const isPlanned = (step: PlanStep) => planned.some((other) => isDeepStrictEqual(other, step))
    const own = plan.steps.filter((step) => !isPlanned(step) || (isAsItself && isReplacing(step)))
    const name = upgradeWords(stage, before)
    steps.push(...(stages.length === 1 ? own : own.map((step) => ({ ...step, stage: name }))))
    planned.push(...plan.steps)
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
function isReplacing(step: PlanStep): boolean {
  return (
    (step.action === 'replace-pods' || step.action === 'restart-component') &&
    EMULATING.some((component) => component === step.component)
  )
}
