import { expect, test } from 'vitest'
import { networkPolicyEffectOf, syncerStatusData } from '../../src/manifests/syncer-status.ts'

const configMap = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data })

test.for(['enforced', 'ignored'] as const)(
  'reads from a ConfigMap what was written: %s',
  (effect) => {
    expect(networkPolicyEffectOf(configMap(syncerStatusData(effect)))).toBe(effect)
  },
)

test.for([undefined, configMap({}), configMap({ networkPolicies: 'perhaps' })])(
  'reads nothing from %j',
  (map) => {
    expect(networkPolicyEffectOf(map)).toBeUndefined()
  },
)
