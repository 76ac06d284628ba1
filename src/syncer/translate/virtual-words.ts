import type { KubeObject } from '../../shared/kube/kube-object.ts'

export interface ObjectNames {
  name: string
  namespace?: string | undefined
  uid?: string | undefined
}

export interface Naming {
  host: ObjectNames
  virtual: ObjectNames
  /** The virtual name of another host object; undefined when the plane has none of that name. @default it has no others */
  nameOf?: (hostName: string) => string | undefined
}

/** The names in an object's metadata. */
export function namesOf({ metadata: { name = '', namespace, uid } }: KubeObject): ObjectNames {
  return { name, namespace, uid }
}

/** Matches a possible name, without the period of a sentence. */
const NAME = String.raw`[a-z0-9-]+(?:\.[a-z0-9-]+)*`
const BEGIN = '(?<![A-Za-z0-9.-])'
const END = String.raw`(?![A-Za-z0-9-]|\.[A-Za-z0-9])`

/** Replaces the host's names in a message about an object by the names of the plane. */
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

/** An image, for example, may have the name of the namespace: only beside a name or a word for it is it the namespace. */
function inNamespace(
  text: string,
  { from, to, toName }: { from: string; to: string; toName: (word: string) => string | undefined },
): string {
  // `shop/web`, `"shop"/"web"`, `shop_web_1234`, `web_shop(1234)`
  const named = `${BEGIN}(?:${from}(["']?[/_]["']?))?(${NAME})(_${from})?${END}`
  const alone = String.raw`(?<=(?:\bin|namespaces?)[ /]\\?["']?)${from}(?![A-Za-z0-9.-])`
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
    .replaceAll(new RegExp(alone, 'g'), () => to)
}
