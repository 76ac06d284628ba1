import * as fc from 'fast-check'

/** A kubeconfig as people and programs write it, and the names of its contexts. */
export interface Sample {
  text: string
  contexts: string[]
  /** What `current-context` names; undefined when the key is missing or empty. */
  current: string | undefined
}

const NAMES = [
  'kind',
  'arn:aws:eks:eu-1:1:cluster/a',
  'on',
  "o'neil",
  'x "y"',
  '1e3',
  'ümlaut',
  'a#b',
]

const comment = fc.constantFrom('', ' # yes', '  # "quoted: { ["')
const quoting = fc.constantFrom<(name: string) => string>(
  (name) => (/^[a-z][a-z0-9:/-]*$/.test(name) && name !== 'on' ? name : `'${single(name)}'`),
  (name) => `'${single(name)}'`,
  (name) => JSON.stringify(name),
)

/** Kubeconfigs in block style, with everything YAML lets people do to them. */
const blockSample: fc.Arbitrary<Sample> = fc
  .record({
    names: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 5 }),
    keys: fc.shuffledSubarray([
      'apiVersion',
      'kind',
      'preferences',
      'clusters',
      'contexts',
      'users',
      'x-unknown',
    ]),
    current: fc.constantFrom('missing', '', '""', 'null', '~', 'first', 'gone', 'block'),
    currentAt: fc.nat(7),
    empty: fc.constantFrom('', ' null', ' ~', ' []', ' [ ]', '\n  []', ' # none\n  []'),
    style: fc.constantFrom('block', 'flow', 'long-flow'),
    dash: fc.constantFrom('', '  ', '    '),
    quote: quoting,
    comment,
    between: fc.constantFrom('', '\n', '# between\n', '    # deep\n'),
    head: fc.constantFrom('', '---\n', '# mine\n', '# a\n---\n# b\n\n', '%YAML 1.1\n---\n'),
    tail: fc.constantFrom('', '# end\n', '\n\n', '   \n', '...\n', '...\n# after\n'),
    newline: fc.constantFrom('\n', '\r\n'),
    isOpen: fc.boolean(),
    hasMark: fc.boolean(),
  })
  .map((choice) => {
    const { comment, current, dash, keys, names, quote } = choice
    const list = (key: string, body: (name: string) => string) => {
      if (names.length === 0) {
        return `${key}:${choice.empty}${comment}\n`
      }
      if (choice.style !== 'block') {
        const gap = choice.style === 'flow' ? ' ' : `${comment}\n   `
        const items = names.map((name) => `{name: ${JSON.stringify(name)}, ${body(name)}}`)
        return `${key}: [${gap.trimEnd() === '' ? gap : '\n  '}${items.join(`,${gap}`)}]${comment}\n`
      }
      const items = names.map(
        (name) => `${dash}- name: ${quote(name)}${comment}\n${dash}  ${body(name)}\n`,
      )
      return `${key}:${comment}\n${items.join(choice.between)}`
    }
    const lines: Record<string, string> = {
      apiVersion: 'apiVersion: v1\n',
      kind: `kind: Config${comment}\n`,
      preferences: 'preferences: {}\n',
      clusters: list('clusters', () => 'cluster: {server: "https://h:1", x-deep: [1, {a: b}]}'),
      contexts: list('contexts', (name) => `context: {cluster: ${JSON.stringify(name)}, user: u}`),
      users: list('users', () => 'user: {token: "a: b"}'),
      'x-unknown':
        'x-unknown:\n- |\n  - name: no entry\n\n  current-context: no\n- 0777\n- 2020-01-01\n',
    }
    const values: Record<string, string> = {
      first: names[0] === undefined ? '' : quote(names[0]),
      block: '|-\n  gone',
    }
    const blocks = keys.map((key) => lines[key] ?? '')
    if (current !== 'missing') {
      blocks.splice(
        choice.currentAt,
        0,
        `current-context: ${values[current] ?? current}${current === 'block' ? '' : comment}\n`,
      )
    }
    const hasTail = choice.tail.startsWith('...') ? blocks.length > 0 : true
    const text = `${choice.head}${blocks.join('')}${hasTail ? choice.tail : ''}`
    return {
      text: finish(text, choice),
      contexts: keys.includes('contexts') ? names : [],
      current:
        current === 'first'
          ? names[0]
          : current === 'gone' || current === 'block'
            ? 'gone'
            : undefined,
    }
  })

/** Kubeconfigs in JSON, on one line and on many. */
const jsonSample: fc.Arbitrary<Sample> = fc
  .record({
    names: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 4 }),
    keys: fc.shuffledSubarray([
      'apiVersion',
      'kind',
      'clusters',
      'contexts',
      'users',
      'current-context',
    ]),
    empty: fc.constantFrom([], null),
    current: fc.constantFrom('', null, 'gone', 'first'),
    indent: fc.constantFrom(0, 1, 2, 4),
    newline: fc.constantFrom('\n', '\r\n'),
    isOpen: fc.boolean(),
    hasMark: fc.boolean(),
  })
  .map((choice) => {
    const { empty, keys, names } = choice
    const current = choice.current === 'first' ? (names[0] ?? '') : choice.current
    const list = (body: object) =>
      names.length === 0 ? empty : names.map((name) => ({ ...body, name }))
    const values: Record<string, unknown> = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: list({ cluster: { server: 'https://h:1' } }),
      contexts: list({ context: { cluster: 'c', user: 'u' } }),
      users: list({ user: { token: 't' } }),
      'current-context': current,
    }
    const data = Object.fromEntries(keys.map((key) => [key, values[key]]))
    return {
      text: finish(`${JSON.stringify(data, null, choice.indent)}\n`, choice),
      contexts: keys.includes('contexts') ? names : [],
      current:
        keys.includes('current-context') && current !== '' ? (current ?? undefined) : undefined,
    }
  })

export const sample: fc.Arbitrary<Sample> = fc.oneof(
  { weight: 3, arbitrary: blockSample },
  { weight: 1, arbitrary: jsonSample },
)

interface Finish {
  newline: string
  isOpen: boolean
  hasMark: boolean
}

function finish(text: string, { hasMark, isOpen, newline }: Finish): string {
  const closed = isOpen ? text.replace(/\n$/, '') : text
  return `${hasMark ? '\uFEFF' : ''}${closed.replaceAll('\n', newline)}`
}

function single(name: string): string {
  return name.replaceAll("'", "''")
}
