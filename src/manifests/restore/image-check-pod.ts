import type { Manifest } from '../manifest.ts'
import { objectLabels, objectName } from '../object-names.ts'
import { RECEIVER } from './restore-scripts.ts'
import { containerOfStore, podSpecOf } from './with-restore.ts'

/** The host ends the pod after this time if vplane was killed before it deleted it. */
const LONGEST_SECONDS = 900

/** The fields of the pods of a store that decide on which nodes and with which credentials they pull images. */
const COPIED = [
  'automountServiceAccountToken',
  'enableServiceLinks',
  'imagePullSecrets',
  'nodeSelector',
  'priorityClassName',
  'securityContext',
  'serviceAccountName',
  'tolerations',
]

export interface ImageCheck {
  name: string
  namespace: string
  component: 'etcd' | 'kine'
  helperImage: string
}

/**
 * A pod that ends at once, with the images that the pods of a store need for a restore: if it cannot run, they cannot
 * either.
 * @throws {VplaneError} `INVALID_SPEC` as `containerOfStore` does.
 */
export function imageCheckPod(
  statefulSet: Manifest,
  { component, helperImage, name, namespace }: ImageCheck,
): Manifest {
  const podSpec = podSpecOf(statefulSet)
  const { container: store } = containerOfStore(statefulSet, component)
  const common = {
    imagePullPolicy: store.imagePullPolicy,
    securityContext: store.securityContext,
    resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory: '128Mi' } },
  }
  const copied = COPIED.filter((field) => podSpec[field] !== undefined)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: objectName(name, 'image-check'), namespace, labels: objectLabels(name) },
    spec: {
      ...Object.fromEntries(copied.map((field) => [field, podSpec[field]])),
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      activeDeadlineSeconds: LONGEST_SECONDS,
      containers: [
        { name: RECEIVER, image: helperImage, command: ['node', '--version'], ...common },
        ...(component === 'etcd'
          ? [{ name: 'etcd', image: store.image, command: ['etcdutl', 'version'], ...common }]
          : []),
      ],
    },
  }
}
