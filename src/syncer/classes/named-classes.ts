import type { Rules } from '../scope/settings.ts'
import type { Classes } from './class-kinds.ts'
import { ingressClass, runtimeClass, storageClass } from './class-objects.ts'

/** The class of claims that leave the choice to the host. */
export const DEFAULT_STORAGE_CLASS = 'default'

/**
 * The classes of a plane that sees nothing of its host's: those that its spec names, and one for the volumes that the
 * host gives everybody.
 */
export function namedClasses({
  ingressClasses = [],
  runtimeClasses = [],
  storageClasses = [],
}: Rules): Classes {
  const storageNames = new Set([DEFAULT_STORAGE_CLASS, ...storageClasses])
  return {
    storageclasses: [...storageNames].map((name) =>
      storageClass(name, { isDefault: name === DEFAULT_STORAGE_CLASS }),
    ),
    ingressclasses: ingressClasses.map((name) => ingressClass(name)),
    runtimeclasses: runtimeClasses.map(runtimeClass),
    priorityclasses: [],
  }
}
