import type { AnyComponentName } from '../plane/plane.ts'
import { ENCRYPTION_FILE } from './encryption-configuration.ts'

/**
 * The certificates and keys whose change replaces a component. It reads them only at its start, except for some CAs: a
 * component loads these again at an unknown time, and a rotation must know that every component uses them.
 */
export const FILES_READ_ONCE: Record<AnyComponentName, readonly string[]> = {
  etcd: ['etcd/ca.crt'],
  kine: ['etcd/ca.crt'],
  'kube-apiserver': [
    'client-ca.crt',
    'etcd/ca.crt',
    'front-proxy-ca.crt',
    'kubelet-ca.crt',
    'sa.key',
    'sa.pub',
    ENCRYPTION_FILE,
  ],
  'kube-controller-manager': [
    'ca.crt',
    'client-ca.crt',
    'front-proxy-ca.crt',
    'sa.key',
    'signing-ca.crt',
    'signing-ca.key',
  ],
  'kube-scheduler': ['ca.crt', 'client-ca.crt', 'front-proxy-ca.crt'],
  // The plane's DNS server reads the first one too.
  syncer: ['syncer-ca.crt', 'front-proxy-ca.crt'],
  // It reads all of them again within a minute.
  keeper: [],
}
