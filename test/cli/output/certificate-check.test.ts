import { expect, test } from 'vitest'
import { certificateWarnings } from '../../../src/cli/output/certificate-check.ts'
import type { CheckedCertificate } from '../../../src/control-plane/use-cases/rotate/check-certificates.ts'

const DEV = { name: 'dev', driver: 'local' } as const
const TEAM = { name: 'dev', driver: 'kubernetes', namespace: 'team' } as const
const CA_WARNING =
  'CAs of "dev" expire soon: vplane certs rotate-ca dev replaces them, stage by stage'

test.for([
  ['leaf', 'certificates of "dev" expire soon: vplane certs rotate dev renews them'],
  ['authority', CA_WARNING],
  [
    'kubeconfig',
    'the certificate of a context of "dev" expires soon: vplane connect dev --embed-credentials writes another',
  ],
] as const)('names what helps against the end of a %s', ([kind, warning]) => {
  const [one, other] = [ending(kind), { ...ending(kind), name: 'other' }]

  expect(warningsOf(one, other)).toEqual([warning])
  expect(warningsOf({ ...one, isEnding: false })).toEqual([])
})

test('a new CA brings new leaves, to its own plane alone', () => {
  expect(warningsOf(ending('leaf'), ending('authority'), ending('leaf', TEAM))).toEqual([
    CA_WARNING,
    'certificates of "dev" expire soon: vplane certs rotate dev --namespace team renews them',
  ])
})

test('says what could not be looked at', () => {
  const unchecked = [
    { driver: 'local', plane: DEV, reason: 'plane.json is damaged' },
    { driver: 'kubernetes', reason: 'no route to host' },
  ] as const

  expect(certificateWarnings({ certificates: [], unchecked: [...unchecked] }, 'vplane')).toEqual([
    'the certificates of "dev" cannot be checked: plane.json is damaged',
    'planes of the driver kubernetes cannot be listed: no route to host',
  ])
})

function ending(
  kind: CheckedCertificate['kind'],
  plane: CheckedCertificate['plane'] = DEV,
): CheckedCertificate {
  return { plane, name: 'one', kind, expiresAt: new Date(2026, 0), isEnding: true }
}

function warningsOf(...certificates: CheckedCertificate[]): string[] {
  return certificateWarnings({ certificates, unchecked: [] }, 'vplane')
}
