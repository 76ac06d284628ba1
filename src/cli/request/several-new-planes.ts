import type { Composition } from '../../compose/compose.ts'
import type { HostAnswers } from '../../control-plane/driver/requests.ts'
import { forEachDocument } from './spec-documents.ts'
import type { UserSpec } from '../../control-plane/spec/spec.ts'
import { resolveCreate } from '../../control-plane/use-cases/create/create-control-plane.ts'
import type { PlaneSelector } from '../../control-plane/use-cases/find/find-planes.ts'
import { silentUi, type Ui } from '../../shared/ui.ts'
import type { Target } from './choose-target.ts'
import { type MakePlaneOptions, readRequest } from './make-plane.ts'
import type { NewSpec } from './spec-from-flags.ts'

/** A plane that is to be created, with what the user wrote for it. */
export interface NewPlane extends PlaneSelector {
  userSpec: UserSpec
  target: Target
}

/** The request for several planes. */
export interface NewPlanesOptions extends Omit<MakePlaneOptions, 'name' | 'target' | 'userSpec'> {
  /** Where a plane is created. */
  targetOf: (spec: NewSpec, ui: Ui) => Promise<Target>
}

/**
 * The planes of several specs, each with its target. All are checked: nothing is created if one is wrong.
 *
 * @throws {VplaneError} `INVALID_NAME` and `INVALID_SPEC`, and what `readRequest` and `targetOf` throw.
 */
export async function severalNewPlanes(
  { openOperators, ui }: Pick<Composition, 'openOperators' | 'ui'>,
  specs: readonly NewSpec[],
  { crd, declare = false, paused = false, settings, targetOf }: NewPlanesOptions,
): Promise<NewPlane[]> {
  const planes = []
  for (const [index, spec] of specs.entries()) {
    const isFirst = index === 0
    // Notes about the target, and the CRDs, are the same for all.
    const shown = isFirst ? ui : silentUi
    const target = await targetOf(spec, shown)
    const request = { ...spec, target, settings, crd: isFirst ? crd : [] }
    const { userSpec } = await readRequest({ ui: shown }, request)
    planes.push({ ...spec, target, completeSpec: userSpec })
  }
  const known = new Map<string, HostAnswers>()
  return forEachDocument(planes, ({ completeSpec, name, target, userSpec }) => {
    const { driver, host } = target
    resolveCreate({
      name,
      userSpec: completeSpec,
      driver,
      openOperators: declare ? openOperators : undefined,
    })
    const plane = { name, userSpec, driver: driver.name, namespace: host?.namespace }
    // One that runs must find the host with room for it, whatever was created before.
    if (host === undefined || !paused) {
      return { ...plane, target }
    }
    const key = JSON.stringify([host.namespace, completeSpec])
    const answers = known.get(key) ?? { names: new Map() }
    known.set(key, answers)
    return { ...plane, target: { driver, host: { ...host, answers } } }
  })
}

/** The spec of several planes that are named after one: `NAME-1`, `NAME-2` and so on. */
export function numbered({ name, userSpec }: NewSpec, count: number): NewSpec[] {
  return Array.from({ length: count }, (_, index) => ({ name: `${name}-${index + 1}`, userSpec }))
}
