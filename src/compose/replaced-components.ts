import { isDeepStrictEqual } from 'node:util'
import { ALL_COMPONENT_NAMES } from '../control-plane/plane/plane.ts'
import type { CompareSpecs } from '../control-plane/explain/restarted-by.ts'
import type { PlaneSpec } from '../control-plane/spec/spec.ts'
import { COMPONENT_LABEL, SHARED_LABEL } from '../manifests/object-names.ts'
import { namespaceKeeperManifests, planeManifests } from '../manifests/render/plane-manifests.ts'
import type { ManifestInput } from '../manifests/templates/manifest-input.ts'
import { fieldAt } from '../shared/json-fields.ts'

/**
 * Compares specs that were resolved for the kubernetes driver: a change replaces the components whose pods differ, in
 * the order of their start, but not those that it adds or removes.
 */
export function replacedComponents(): CompareSpecs {
  const known = new Map<PlaneSpec, Map<unknown, unknown>>()
  const templatesOf = (spec: PlaneSpec) => {
    const templates = known.get(spec) ?? podTemplates(spec)
    known.set(spec, templates)
    return templates
  }
  return (before, after) => {
    const [old, next] = [templatesOf(before), templatesOf(after)]
    return ALL_COMPONENT_NAMES.filter(
      (name) =>
        old.has(name) && next.has(name) && !isDeepStrictEqual(old.get(name), next.get(name)),
    )
  }
}

function podTemplates(spec: PlaneSpec): Map<unknown, unknown> {
  const input: ManifestInput = {
    name: 'plane',
    namespace: 'plane',
    id: 'plane',
    spec,
    files: {},
    initialState: 'existing',
    desired: 'running',
    programOf: (program) => program,
  }
  const objects = [...planeManifests(input), ...namespaceKeeperManifests(input)]
  return new Map(
    objects
      .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
      .map((object) => [
        object.metadata.labels[COMPONENT_LABEL] ?? object.metadata.labels[SHARED_LABEL],
        fieldAt(object, 'spec', 'template'),
      ]),
  )
}
