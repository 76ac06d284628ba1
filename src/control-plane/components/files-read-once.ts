import type { AnyComponentName } from '../plane/plane.ts'
import { ENCRYPTION_FILE } from './encryption-configuration.ts'

/**
 * The certificates and keys by which a component is replaced when they change. It reads them at its start alone, but for
 * those of CAs that it reads again some time: only a rotation changes these, and has to know that all go by them.
 */
export const FILES_READ_ONCE: Record<AnyComponentName, readonly string[]> = {
  etcd: ['etcd/ca.crt'],
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
  // The plane's DNS server reads the first one, too.
  syncer: ['syncer-ca.crt', 'front-proxy-ca.crt'],
  keeper: ['ca.crt', 'etcd/ca.crt'],
}
