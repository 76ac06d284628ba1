import type { Manifest } from '../manifest.ts'
import { objectLabels, objectName } from '../object-names.ts'
import { RECEIVER } from './restore-scripts.ts'
import { containerOfEtcd, podSpecOf } from './with-restore.ts'

/** The host ends the pod after this time if vplane was killed before it deleted it. */
const LONGEST_SECONDS = 900

/** The fields of etcd's pods that decide on which nodes and with which credentials they pull images. */
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

/**
 * A pod that ends at once, with the images that the pods of etcd need for a restore: if it cannot run, they cannot
 * either.
 * @throws {VplaneError} `INVALID_SPEC` as `containerOfEtcd` does.
 */
export function imageCheckPod(
  statefulSet: Manifest,
  { helperImage, name, namespace }: { name: string; namespace: string; helperImage: string },
): Manifest {
  const podSpec = podSpecOf(statefulSet)
  const { etcd } = containerOfEtcd(statefulSet)
  const common = {
    imagePullPolicy: etcd.imagePullPolicy,
    securityContext: etcd.securityContext,
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
        { name: 'etcd', image: etcd.image, command: ['etcdutl', 'version'], ...common },
      ],
    },
  }
}
