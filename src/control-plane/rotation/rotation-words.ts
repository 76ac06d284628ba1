import { ALL_COMPONENT_NAMES, type AnyComponentName } from '../plane/plane.ts'
import type { RotatedKeys, RotationStage } from './rotation.ts'

/** What is rotated, and what its stages do, as people read it. */
interface RotationWords {
  /** As it reads in sentences: `the key of ServiceAccount tokens`. */
  what: string
  /** What each stage does, which components it replaces, in their order, and what stops working with it. */
  stages: Record<RotationStage, StageWords>
}

interface StageWords {
  does: string
  replaces: readonly AnyComponentName[]
  ends: readonly string[]
}

const API_SERVER = ['kube-apiserver'] as const

export const ROTATION_WORDS: Record<RotatedKeys, RotationWords> = {
  ca: {
    what: 'the CAs',
    stages: {
      prepare: {
        does: 'make new CAs, and have everything trust them too',
        replaces: ALL_COMPONENT_NAMES,
        ends: [],
      },
      switch: {
        does: 'issue all certificates by the new CAs',
        replaces: ALL_COMPONENT_NAMES,
        ends: [],
      },
      complete: {
        does: 'trust the new CAs alone',
        replaces: ALL_COMPONENT_NAMES,
        ends: [
          'kubeconfigs and client certificates that were made before the switch: connect again, and make the others again',
          'certificates that the plane has signed by a CertificateSigningRequest before it',
          'clients that know the old CA alone, such as pods that have not read kube-root-ca.crt since prepare',
        ],
      },
    },
  },
  'encryption-key': {
    what: 'the key of Secrets',
    stages: {
      prepare: {
        does: 'make a new key, and have Secrets read with both',
        replaces: API_SERVER,
        ends: [],
      },
      switch: {
        does: 'write Secrets with the new key from here on',
        replaces: API_SERVER,
        ends: [],
      },
      complete: {
        does: 'write all Secrets again, look in etcd whether all are, and drop the old key',
        replaces: API_SERVER,
        ends: [
          'Secrets in snapshots of before, as the key for them is gone; bundles hold the key that goes with them',
        ],
      },
    },
  },
  'service-account-key': {
    what: 'the key of ServiceAccount tokens',
    stages: {
      prepare: {
        does: 'make a new key, and have kube-apiserver take tokens of both',
        replaces: API_SERVER,
        ends: [],
      },
      switch: {
        does: 'sign tokens with the new key',
        replaces: ['kube-apiserver', 'kube-controller-manager'],
        ends: [],
      },
      complete: {
        does: 'take tokens of the new key alone',
        replaces: API_SERVER,
        ends: [
          'tokens that were made before the switch: those of pods are renewed within an hour of it by themselves',
          'Secrets of type kubernetes.io/service-account-token of before: delete their field "token" to have it made anew',
        ],
      },
    },
  },
}
