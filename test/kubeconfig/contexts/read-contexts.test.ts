import { expect, test } from 'vitest'
import { findVplaneContexts } from '../../../src/kubeconfig/contexts/read-contexts.ts'
import { setContext } from '../../../src/kubeconfig/contexts/set-context.ts'
import { currentContextIn, parseKubeconfig } from '../../../src/kubeconfig/text/kubeconfig-text.ts'
import { CA, execEntry } from '../entries.ts'

const FILE = `clusters:
- name: c
  cluster: {server: "https://c"}
contexts:
- name: kind
  context: {cluster: c, user: u, namespace: team}
current-context: kind
`
const connected = setContext(FILE, execEntry('dev'))

/** What the first released vplane wrote: it must stay readable. */
const FORMAT_1 = `contexts:
- name: "vplane_shop"
  context:
    cluster: "vplane_shop"
    user: "vplane_shop"
    extensions:
    - name: "vplane.dev/context"
      extension:
        formatVersion: 1
        writtenBy: "0.1.0"
        plane: "shop"
        driver: "kubernetes"
        namespace: "team-a"
        hostContext: "prod"
        previousContext: "kind"
        undo:
          added:
          - "clusters"
          replaced:
            current-context: " kind"
`

test.for([
  ['', undefined],
  ['current-context:\n', undefined],
  ['current-context: ""\n', undefined],
  ['current-context: null\n', undefined],
  ['current-context: a\n', 'a'],
  ["current-context: 'on'\n", 'on'],
  ['{"current-context": "b"}', 'b'],
] as const)('finds the current context of %j', ([text, expected]) => {
  expect(currentContextIn(parseKubeconfig(text).data)).toBe(expected)
})

test('reads what format 1 recorded', () => {
  const extension = {
    formatVersion: 1,
    writtenBy: '0.1.0',
    plane: 'shop',
    driver: 'kubernetes',
    namespace: 'team-a',
    hostContext: 'prod',
    previousContext: 'kind',
    undo: { added: ['clusters'], replaced: { 'current-context': ' kind' } },
  }
  const context = { name: 'vplane_shop', isCurrent: false, extension }
  expect(findVplaneContexts(FORMAT_1)).toEqual([context])
})

test('lists only the contexts that vplane wrote', () => {
  expect(findVplaneContexts(connected)).toEqual([
    {
      name: 'vplane_dev',
      isCurrent: true,
      server: 'https://127.0.0.1:20443',
      certificateAuthority: CA,
      extension: expect.objectContaining({
        plane: 'dev',
        driver: 'local',
        previousContext: 'kind',
      }),
    },
  ])
  expect(findVplaneContexts(FILE)).toEqual([])
})

test('lists the others beside one of a newer vplane', () => {
  const both = connected.replaceAll('formatVersion: 1', 'formatVersion: 2')

  const found = findVplaneContexts(setContext(both, execEntry('prod')))

  expect(found).toEqual([
    {
      name: 'vplane_dev',
      isCurrent: false,
      error: expect.objectContaining({ code: 'UNSUPPORTED' }),
    },
    expect.objectContaining({ name: 'vplane_prod', isCurrent: true }),
  ])
})

test.for([
  ['formatVersion: 1', 'formatVersion: "1"'],
  ['formatVersion: 1', 'formatVersion: 0.5'],
  ['plane: "dev"', 'plane: 5'],
  ['driver: "local"', 'driver: "cloud"'],
  ['writtenBy: "0.1.0"', 'wroteBy: "0.1.0"'],
] as const)('calls a record with %j as %j damaged', ([from, to]) => {
  const damaged = connected.replaceAll(from, to)

  const error = expect.objectContaining({
    code: 'FAILED',
    message: 'the record of vplane on the context "vplane_dev" is damaged',
    hints: ['kubectl config delete-context vplane_dev'],
  })
  expect(findVplaneContexts(damaged)).toEqual([{ name: 'vplane_dev', isCurrent: true, error }])
})

test('ignores entries that are invalid', () => {
  const text =
    'contexts:\n- 5\n- null\n- [a]\n- {context: {extensions: [1, {name: x}]}}\n- {name: a, context: 7}\n'

  expect(findVplaneContexts(text)).toEqual([])
})
