import { expect, expectTypeOf, test } from 'vitest'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import type { ControlPlaneSpec } from '../../../src/library/index.ts'
import { toUserSpec } from '../../../src/library/start/to-user-spec.ts'

test('is ephemeral unless told otherwise', () => {
  expect(toUserSpec({})).toEqual({ ephemeral: true })
  expect(toUserSpec({ spec: { ephemeral: false } })).toEqual({ ephemeral: false })
})

test('takes the version as an option or in the spec', () => {
  expect(toUserSpec({ version: '1.35' })).toMatchObject({ version: '1.35' })
  expect(toUserSpec({ spec: { version: '1.35' } })).toMatchObject({ version: '1.35' })
  expect(toUserSpec({ version: '1.36', spec: { version: '1.35' } })).toMatchObject({
    version: '1.36',
  })
})

test('leaves out what is undefined, however deep', () => {
  const spec = { apiGroups: undefined, etcd: { goGc: undefined, extraArgs: { v: '2' } } }

  expect(toUserSpec({ version: undefined, spec })).toEqual({
    ephemeral: true,
    etcd: { extraArgs: { v: '2' } },
  })
})

test.for([
  [{ serviceRange: 'everything' }, 'serviceRange'],
  [{ apiServer: { goGc: 1 } }, 'apiServer.goGc'],
  [{ etcd: { extraArgs: { '--dashes': 'x' } } }, 'etcd.extraArgs'],
] as const)('names the field that is wrong in %j', ([spec, field]) => {
  expect(() => toUserSpec({ spec: structuredClone(spec) as ControlPlaneSpec })).toThrow(
    expect.objectContaining({ code: 'INVALID_SPEC', message: expect.stringContaining(field) }),
  )
})

test('knows every field of a spec that is not for pods', () => {
  type Defined<T> = T extends (infer Entry)[]
    ? Defined<Entry>[]
    : T extends object
      ? { [Key in keyof T]-?: Defined<Exclude<T[Key], undefined>> }
      : T

  type HostField =
    | 'preset'
    | 'storage'
    | 'expose'
    | 'images'
    | 'pods'
    | 'sync'
    | 'scheduler'
    | 'keeper'
    | 'metrics'
  type Component = 'etcd' | 'apiServer' | 'controllerManager'
  // Nobody backs up a plane that goes with its process, or waits until it pauses or its certificates end.
  type LocalSpec = Omit<UserSpec, HostField | Component | 'backup' | 'idle' | 'renew'> & {
    [Name in Component]?: Omit<NonNullable<UserSpec[Name]>, 'replicas' | 'resources'>
  }

  expectTypeOf<Defined<ControlPlaneSpec>>().toEqualTypeOf<Defined<LocalSpec>>()
})
