import { ALL_COMPONENT_NAMES, type AnyComponentName } from '../plane/plane.ts'
import type { RotatedKeys, RotationStage } from './rotation.ts'

interface RotationWords {
  /** The keys, as in sentences: `the key of ServiceAccount tokens`. */
  what: string
  stages: Record<RotationStage, StageWords>
}

interface StageWords {
  does: string
  replaces: readonly AnyComponentName[]
  /** What stops working with this stage. @default nothing */
  ends?: readonly string[]
}

const API_SERVER = ['kube-apiserver'] as const

/** Descriptions of the rotations and their stages for people. */
export const ROTATION_WORDS: Record<RotatedKeys, RotationWords> = {
  ca: {
    what: 'the CAs',
    stages: {
      prepare: {
        does: 'create new CAs, and let all components trust both',
        replaces: ALL_COMPONENT_NAMES,
      },
      switch: { does: 'issue all certificates with the new CAs', replaces: ALL_COMPONENT_NAMES },
      complete: {
        does: 'trust only the new CAs',
        replaces: ALL_COMPONENT_NAMES,
        ends: [
          'kubeconfigs and client certificates from before the switch: connect again, and create the others again',
          'certificates from before the switch that the plane signed for a CertificateSigningRequest',
          'clients that trust only the old CA, such as pods that have not read kube-root-ca.crt since prepare',
        ],
      },
    },
  },
  'encryption-key': {
    what: 'the key of Secrets',
    stages: {
      prepare: {
        does: 'create a new key, and let kube-apiserver read Secrets with both',
        replaces: API_SERVER,
      },
      switch: { does: 'encrypt new writes of Secrets with the new key', replaces: API_SERVER },
      complete: {
        does: 'write all Secrets again, check in etcd that all are encrypted with the new key, and delete the old key',
        replaces: API_SERVER,
        ends: [
          'Secrets in earlier snapshots, because their key is deleted; bundles contain their own key',
        ],
      },
    },
  },
  'service-account-key': {
    what: 'the key of ServiceAccount tokens',
    stages: {
      prepare: {
        does: 'create a new key, and let kube-apiserver accept tokens of both',
        replaces: API_SERVER,
      },
      switch: {
        does: 'sign tokens with the new key',
        replaces: ['kube-apiserver', 'kube-controller-manager'],
      },
      complete: {
        does: 'accept only tokens of the new key',
        replaces: API_SERVER,
        ends: [
          'tokens from before the switch: those of pods are renewed automatically within an hour after it',
          'Secrets of type kubernetes.io/service-account-token from before the switch: delete their field "token", and the plane creates it again',
        ],
      },
    },
  },
}
