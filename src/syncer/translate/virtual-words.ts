import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** What an object is called on one side. */
export interface ObjectNames {
  name: string
  namespace?: string | undefined
  uid?: string | undefined
}

/** How an object is called on both sides. */
export interface Naming {
  host: ObjectNames
  virtual: ObjectNames
  /** The virtual name of another host object of the plane; undefined for what is no name of one. @default none is known */
  nameOf?: (hostName: string) => string | undefined
}

/** What an object is called on its side. */
export function namesOf({ metadata: { name = '', namespace, uid } }: KubeObject): ObjectNames {
  return { name, namespace, uid }
}

/** What may be a name, without the full stop of a sentence. */
const NAME = String.raw`[a-z0-9-]+(?:\.[a-z0-9-]+)*`
const BEGIN = '(?<![A-Za-z0-9.-])'
const END = String.raw`(?![A-Za-z0-9-]|\.[A-Za-z0-9])`

/** What the host says about an object of the plane, said about the virtual one. */
export function toVirtualWords(text: string, { host, nameOf, virtual }: Naming): string {
  const toName = (word: string) => (word === host.name ? virtual.name : nameOf?.(word))
  const named =
    host.namespace === undefined
      ? text.replaceAll(new RegExp(`${BEGIN}${NAME}${END}`, 'g'), (word) => toName(word) ?? word)
      : inNamespace(text, { toName, from: host.namespace, to: virtual.namespace ?? '' })
  return host.uid === undefined || virtual.uid === undefined
    ? named
    : named.replaceAll(host.uid, virtual.uid)
}

/** A namespace may have the name of anything, an image for one: it is one beside a name, or where it is said to be one. */
function inNamespace(
  text: string,
  { from, to, toName }: { from: string; to: string; toName: (word: string) => string | undefined },
): string {
  // `shop/web`, `"shop"/"web"`, `shop_web_1234`, `web_shop(1234)`
  const named = `${BEGIN}(?:${from}(["']?[/_]["']?))?(${NAME})(_${from})?${END}`
  const said = String.raw`(?<=(?:\bin|namespaces?)[ /]\\?["']?)${from}(?![A-Za-z0-9.-])`
  return text
    .replaceAll(
      new RegExp(named, 'g'),
      (words: string, ...[separator, word = '', suffix]: Array<string | undefined>) => {
        const name = toName(word)
        const before = separator === undefined ? '' : `${to}${separator}`
        return name === undefined
          ? words
          : `${before}${name}${suffix === undefined ? '' : `_${to}`}`
      },
    )
    .replaceAll(new RegExp(said, 'g'), () => to)
}
