import type { KubeObject } from '../../kube/kube-object.ts'
import { textAt } from '../translate/reading.ts'
import type { Classes, ClassResource } from './class-kinds.ts'
import {
  ingressClass,
  isDefaultClass,
  priorityClass,
  runtimeClass,
  storageClass,
} from './class-objects.ts'

/** Who makes the volumes of a class on the host. */
const PROVISIONER = 'vplane.dev/provisioner'

/**
 * The classes of a plane for all that its host has, under the same names. What they are configured with stays on the
 * host, and so do the classes that Kubernetes itself has for what a cluster cannot live without.
 */
export function shownClasses(host: Record<ClassResource, Iterable<KubeObject>>): Classes {
  return {
    storageclasses: [...host.storageclasses].map((one) =>
      storageClass(nameOf(one), {
        isDefault: isDefaultClass(one),
        annotations: { [PROVISIONER]: textAt(one, 'provisioner') ?? '' },
        reclaimPolicy: one['reclaimPolicy'],
        volumeBindingMode: one['volumeBindingMode'],
        allowVolumeExpansion: one['allowVolumeExpansion'] === true,
      }),
    ),
    ingressclasses: [...host.ingressclasses].map((one) =>
      ingressClass(nameOf(one), { isDefault: isDefaultClass(one) }),
    ),
    runtimeclasses: [...host.runtimeclasses].map((one) => runtimeClass(nameOf(one))),
    priorityclasses: [...host.priorityclasses]
      .filter((one) => !nameOf(one).startsWith('system-'))
      .map((one) =>
        priorityClass(nameOf(one), {
          value: one['value'],
          preemptionPolicy: one['preemptionPolicy'] ?? 'PreemptLowerPriority',
        }),
      ),
  }
}

function nameOf({ metadata: { name = '' } }: KubeObject): string {
  return name
}
