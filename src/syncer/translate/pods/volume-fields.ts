import type { FieldDecisions } from '../field-decisions.ts'

const KEY_PATHS = { key: 'copy', mode: 'copy', path: 'copy', user: 'copy' } as const
const OF_HOST = "refuse: is not possible: it would be the host's, not the plane's"
/** Only its owner may read the file of a token. On the host, a token is a Secret, whose file others may read, too. */
const OF_TOKENS =
  'refuse: is not possible in a plane: it would not keep other users from reading a token'

const DOWNWARD_ITEM = {
  fieldRef: { apiVersion: 'translate', fieldPath: 'translate' },
  mode: 'copy',
  path: 'copy',
  resourceFieldRef: { containerName: 'copy', divisor: 'copy', resource: 'copy' },
  user: 'copy',
} as const satisfies FieldDecisions

/** The decision for each field of a source of a projected volume. */
const SOURCE_FIELDS = {
  clusterTrustBundle: OF_HOST,
  configMap: { items: KEY_PATHS, name: 'translate', optional: 'copy' },
  downwardAPI: { items: DOWNWARD_ITEM },
  podCertificate: OF_HOST,
  secret: { items: KEY_PATHS, name: 'translate', optional: 'copy' },
  serviceAccountToken: {
    audience: 'translate',
    expirationSeconds: 'translate',
    path: 'translate',
    user: OF_TOKENS,
  },
} as const satisfies FieldDecisions

/** The decision for each field of every type of volume that pods may have. */
export const VOLUME_TYPES = {
  configMap: {
    defaultMode: 'copy',
    defaultUser: 'copy',
    items: KEY_PATHS,
    name: 'translate',
    optional: 'copy',
  },
  csi: {
    driver: 'copy',
    fsType: 'copy',
    nodePublishSecretRef: { name: 'translate' },
    readOnly: 'copy',
    volumeAttributes: 'copy',
  },
  downwardAPI: { defaultMode: 'copy', defaultUser: 'copy', items: DOWNWARD_ITEM },
  emptyDir: { medium: 'copy', mode: 'copy', sizeLimit: 'copy' },
  hostPath: { path: 'copy', type: 'copy' },
  image: { pullPolicy: 'copy', reference: 'copy' },
  nfs: { path: 'copy', readOnly: 'copy', server: 'copy' },
  persistentVolumeClaim: { claimName: 'translate', readOnly: 'copy' },
  projected: { defaultMode: 'copy', defaultUser: OF_TOKENS, sources: SOURCE_FIELDS },
  secret: {
    defaultMode: 'copy',
    defaultUser: 'copy',
    items: KEY_PATHS,
    optional: 'copy',
    secretName: 'translate',
  },
} as const satisfies FieldDecisions

const OTHER_TYPE =
  `refuse: is not possible in a plane: use one of ${Object.keys(VOLUME_TYPES).join(', ')}, ephemeral` as const

/** The decision for each field of a volume. */
export const VOLUME_FIELDS = {
  ...VOLUME_TYPES,
  name: 'copy',
  // The plane creates the claim of its template.
  ephemeral: 'drop',
  // All others can refer to objects or machines that are not the plane's.
  awsElasticBlockStore: OTHER_TYPE,
  azureDisk: OTHER_TYPE,
  azureFile: OTHER_TYPE,
  cephfs: OTHER_TYPE,
  cinder: OTHER_TYPE,
  fc: OTHER_TYPE,
  flexVolume: OTHER_TYPE,
  flocker: OTHER_TYPE,
  gcePersistentDisk: OTHER_TYPE,
  gitRepo: OTHER_TYPE,
  glusterfs: OTHER_TYPE,
  iscsi: OTHER_TYPE,
  photonPersistentDisk: OTHER_TYPE,
  portworxVolume: OTHER_TYPE,
  quobyte: OTHER_TYPE,
  rbd: OTHER_TYPE,
  scaleIO: OTHER_TYPE,
  storageos: OTHER_TYPE,
  vsphereVolume: OTHER_TYPE,
} as const satisfies FieldDecisions
