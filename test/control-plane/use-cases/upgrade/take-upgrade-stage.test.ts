import { expect, test } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { PlaneSpec } from '../../../../src/control-plane/spec/spec.ts'
import { rollbackTarget } from '../../../../src/control-plane/use-cases/upgrade/take-upgrade-stage.ts'

const [OLD, NEW] = ['1.35.4', '1.36.3']
const etcd = { etcdVersion: '3.6.17' }
const asOld = { upgradingFrom: OLD }
const past = { ...asOld, isPastReturn: true } as const

test.for([
  ['from the new version as the old one', specs(OLD), specs(NEW, asOld), specs(OLD)],
  ['with the etcd of the stage before', specs(OLD), specs(NEW, etcd), specs(OLD, etcd)],
  ['for good', specs(NEW, asOld), specs(NEW), specs(NEW, past)],
  ['for good again', specs(NEW, past), specs(NEW), specs(NEW, past)],
  ['to where an interrupted run came from', specs(NEW, asOld), specs(NEW, asOld), specs(OLD)],
  ['to the new version as the old one', specs(NEW, asOld), specs(OLD), specs(NEW, asOld)],
  [
    'with the kine of the stage, which may have changed its data',
    specs(OLD, { kineVersion: '0.16.4' }),
    specs(NEW, { ...asOld, kineVersion: '0.17.5' }),
    specs(OLD, { kineVersion: '0.17.5' }),
  ],
  [
    'not to an earlier kine',
    specs(NEW, { kineVersion: '0.16.4' }),
    specs(NEW, { kineVersion: '0.17.5' }),
    undefined,
  ],
  ['to another etcd', specs(OLD), specs(OLD, { ...etcd, etcdUpgradingFrom: '3.6.16' }), specs(OLD)],
  ['not past the return', specs(NEW, past), specs(NEW, past), undefined],
  ['not from the last stage', specs(NEW), specs(NEW), undefined],
  ['not forth to a failed etcd', specs(NEW, etcd), specs(NEW), undefined],
] as const)('leads %s', ([, before, stage, back]) => {
  expect(rollbackTarget(before, stage)).toEqual(back)
})

function specs(version: string, fields: Partial<PlaneSpec> = {}) {
  const userSpec = { version }
  return { userSpec, spec: { ...resolveSpec(userSpec), ...fields } }
}
