import { expect, test } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { PlaneSpec } from '../../../../src/control-plane/spec/spec.ts'
import {
  upgradedSpec,
  upgradeStages,
} from '../../../../src/control-plane/use-cases/upgrade/upgraded-spec.ts'
import { thrownBy } from '../../../support/thrown-by.ts'

test('takes the next minor, and the etcd that goes with it', () => {
  const plane = planeOf('1.35.4', { etcdVersion: '3.6.4' })

  const { spec, userSpec } = upgradedSpec(plane, { version: '1.36' })

  expect(userSpec).toEqual({ version: '1.36' })
  expect(spec).toEqual({ ...plane.spec, version: '1.36.3', etcdVersion: '3.6.16' })
})

test('goes beyond the default, with the same etcd', () => {
  const plane = planeOf('1.36.3')

  expect(upgradedSpec(plane, { version: '1.37' }).spec).toEqual({
    ...plane.spec,
    version: '1.37.2',
  })
})

test('leaves etcd alone where another store is, and takes the kine of this vplane', () => {
  const store = { kine: { sqlite: {} } }
  const plane = planeOf('1.35.4', { etcdVersion: '3.6.4', store, kineVersion: '0.16.0' })

  expect(upgradedSpec(plane, { version: '1.36' }).spec).toEqual({
    ...plane.spec,
    version: '1.36.3',
    kineVersion: '0.17.2',
  })
  expect(upgradedSpec(plane, {}).spec).toEqual({ ...plane.spec, kineVersion: '0.17.2' })
  expect(upgradedSpec({ ...plane, binDir: '/bin' }, {}).spec).toEqual(plane.spec)
  expect(thrownBy(() => upgradedSpec(plane, { etcdVersion: '3.6.16' }))).toMatchObject({
    code: 'USAGE',
    message: '"dev" has no etcd of its own: its store is sqlite',
  })
})

test.for(['1.35.4', '1.37.2'])('leaves the version %s alone when none is named', (version) => {
  const plane = planeOf(version, { etcdVersion: '3.6.4' })

  expect(upgradedSpec(plane, {})).toMatchObject({ spec: plane.spec, userSpec: plane.userSpec })
})

test('keeps an etcd that is later than the one that goes with the version', () => {
  const plane = planeOf('1.35.4', { etcdVersion: '3.6.99' })

  expect(upgradedSpec(plane, { version: '1.36' }).spec.etcdVersion).toBe('3.6.99')
})

test.for([
  ['1.36.3', { version: '1.35' }, 'cannot go back to 1.35.4'],
  ['1.35.4', { version: '1.35.2' }, 'cannot go back to 1.35.2'],
  ['1.34.4', { version: '1.36' }, 'more than one minor away'],
  ['1.37.2', { version: '1.36' }, 'cannot go back to 1.36.3'],
  ['1.36.3', { etcdVersion: '3.6.1' }, 'cannot go back to 3.6.1'],
  ['1.36.3', { etcdVersion: '3.8.0' }, '3.8.0 is more than one minor away'],
  ['1.36.3', { etcdVersion: '4.0.0' }, '4.0.0 is more than one minor away'],
  ['1.36.3', { etcdVersion: 'latest' }, '"latest" is not a version of etcd'],
  ['1.36.3', { version: '9.9' }, '"9.9"'],
] as const)('refuses to bring %s to %o', ([version, wanted, words]) => {
  const error = thrownBy(() => upgradedSpec(planeOf(version), wanted))

  expect(error).toMatchObject({ code: 'USAGE', message: expect.stringContaining(words) })
})

test('names the minor that comes next', () => {
  const error = thrownBy(() => upgradedSpec(planeOf('1.34.4'), { version: '1.36' }))

  expect(error.hints).toEqual(['vplane upgrade dev --version 1.35.4'])
})

test('continues a half upgraded plane or rolls it back, and nothing else', () => {
  const plane = planeOf('1.36.3', { upgradingFrom: '1.35.4' })

  expect(upgradedSpec(plane, { version: '1.36' }).spec).toEqual(planeOf('1.36.3').spec)
  expect(upgradedSpec(plane, { version: '1.35.4' }).spec).toEqual(planeOf('1.35.4').spec)
  expect(thrownBy(() => upgradedSpec(plane, {})).message).toContain('is not finished')
})

test('continues to a version that has run as itself, and does not go back from it', () => {
  const plane = planeOf('1.36.3', { upgradingFrom: '1.35.4', isPastReturn: true })

  const to = upgradedSpec(plane, { version: '1.36' })
  const errors = [{ version: '1.35.4' }, {}].map((wanted) =>
    thrownBy(() => upgradedSpec(plane, wanted)),
  )

  expect(upgradeStages(plane, to).map(({ spec }) => spec)).toEqual([
    plane.spec,
    planeOf('1.36.3').spec,
  ])
  expect(errors[0]).toMatchObject({
    code: 'USAGE',
    message: '"dev" has run Kubernetes 1.36.3 as itself, and cannot go back to 1.35.4',
  })
  expect(errors[1]?.hints).toEqual(['to continue: vplane upgrade dev --version 1.36.3'])
})

test('continues a half upgraded etcd, or rolls it back, and no further', () => {
  const plane = planeOf('1.36.3', { etcdVersion: '3.7.0', etcdUpgradingFrom: '3.6.16' })
  const stagesTo = (etcdVersion?: string) =>
    upgradeStages(plane, upgradedSpec(plane, { etcdVersion })).map(({ spec }) => spec)

  expect(stagesTo('3.7.0')).toEqual([plane.spec, planeOf('1.36.3', { etcdVersion: '3.7.0' }).spec])
  expect(stagesTo()).toEqual(stagesTo('3.7.0'))
  expect(stagesTo('3.6.16')).toEqual([planeOf('1.36.3').spec])
  expect(thrownBy(() => stagesTo('3.6.15')).message).toContain('cannot go back to 3.6.15')
  expect(thrownBy(() => stagesTo('3.8.0')).message).toContain('more than one minor away')
})

test('refuses a plane whose binaries are its user’s', () => {
  const plane = { ...planeOf('1.35.4'), binDir: '/opt/bin' }

  expect(thrownBy(() => upgradedSpec(plane, { version: '1.36' })).code).toBe('UNSUPPORTED')
})

test('goes by etcd, then by components that behave as before', () => {
  const plane = planeOf('1.35.4', { etcdVersion: '3.6.4' })

  const stages = upgradeStages(plane, upgradedSpec(plane, { version: '1.36' }))

  expect(stages.map(({ from }) => from)).toEqual(
    [plane, ...stages.slice(0, 2)].map(({ spec, userSpec }) => ({ spec, userSpec })),
  )
  expect(stages.map(({ spec }) => spec.etcdUpgradingFrom)).toEqual(['3.6.4', undefined, undefined])
  expect(stages.map(versionsOf)).toEqual([
    { version: '1.35.4', etcdVersion: '3.6.16' },
    { version: '1.36.3', etcdVersion: '3.6.16', upgradingFrom: '1.35.4' },
    { version: '1.36.3', etcdVersion: '3.6.16' },
  ])
})

test.for([
  ['a patch release', planeOf('1.35.1'), '1.35.4', 1],
  ['a half upgraded plane', planeOf('1.36.3', { upgradingFrom: '1.35.4' }), '1.36.3', 2],
  ['a way back', planeOf('1.36.3', { upgradingFrom: '1.35.4' }), '1.35.4', 1],
] as const)('takes %s in as few stages as it needs', ([, plane, version, count]) => {
  const stages = upgradeStages(plane, upgradedSpec(plane, { version }))

  expect(stages).toHaveLength(count)
  expect(versionsOf(stages.at(-1) ?? plane)).toEqual({ version, etcdVersion: '3.6.16' })
})

function planeOf(version: string, fields: Partial<PlaneSpec> = {}) {
  const userSpec = { version }
  return { name: 'dev', userSpec, spec: { ...resolveSpec(userSpec), ...fields } }
}

function versionsOf({ spec: { etcdVersion, upgradingFrom, version } }: { spec: PlaneSpec }) {
  return { version, etcdVersion, ...(upgradingFrom === undefined ? {} : { upgradingFrom }) }
}
