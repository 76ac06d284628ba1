import type { KubeObject } from '../../kube/kube-object.ts'
import type { ObjectCache } from '../engine/object-cache.ts'
import type { Rules } from '../scope/settings.ts'
import type { ClaimContext } from '../translate/kinds/claim.ts'
import type { IngressContext } from '../translate/kinds/ingress.ts'
import type { PodContext } from '../translate/pod-draft/pod-context.ts'
import { byClassResource, type Classes, type ClassResource } from './class-kinds.ts'
import { DEFAULT_STORAGE_CLASS, namedClasses } from './named-classes.ts'
import { shownClasses } from './shown-classes.ts'

/** Which classes of the host those of the plane stand for. */
export interface HostClasses
  extends
    Pick<ClaimContext, 'storageClasses'>,
    Pick<IngressContext, 'ingressClasses'>,
    Pick<PodContext, 'priorityClasses' | 'runtimeClasses'> {}

/** The host's classes, as far as they may be read. */
type HostSides = Record<ClassResource, { host?: Pick<ObjectCache, 'values'> }>

/** The classes that a plane is to have now: those that its spec names, or all that its host has. */
export function wantedClasses(rules: Rules, sides: HostSides): Classes {
  return rules.classes === true
    ? shownClasses(byClassResource((resource) => sides[resource].host?.values() ?? []))
    : namedClasses(rules)
}

/** The classes of the host that a plane may use now: under their own names, but for those that the spec maps. */
export function hostClasses(rules: Rules, sides: HostSides): HostClasses {
  const { ingressclasses, priorityclasses, runtimeclasses, storageclasses } = wantedClasses(
    rules,
    sides,
  )
  const isLeftToHost =
    rules.classes !== true && !rules.storageClasses?.includes(DEFAULT_STORAGE_CLASS)
  return {
    ingressClasses: sameNames(ingressclasses),
    priorityClasses: new Map([
      ...sameNames(priorityclasses),
      ...Object.entries(rules.priorityClasses ?? {}),
    ]),
    runtimeClasses: runtimeclasses.map(nameOf),
    storageClasses: new Map<string, string | undefined>([
      ...sameNames(storageclasses),
      ...(isLeftToHost ? [[DEFAULT_STORAGE_CLASS, undefined] as const] : []),
    ]),
  }
}

function sameNames(classes: readonly KubeObject[]): Map<string, string> {
  return new Map(classes.map((one) => [nameOf(one), nameOf(one)]))
}

function nameOf({ metadata: { name = '' } }: KubeObject): string {
  return name
}
