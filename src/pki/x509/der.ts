// The whole of node-forge takes 34 ms to import, its ASN.1 layer alone 5 ms.
import asn1 from 'node-forge/lib/asn1.js'

const { Class, Type } = asn1

export type Asn1 = asn1.Asn1

/** The DER encoding of a node. */
export function toDer(node: Asn1): Buffer {
  return Buffer.from(asn1.toDer(node).getBytes(), 'latin1')
}

/** Decodes DER. The content of bit and octet strings stays bytes. */
export function fromDer(der: Buffer): Asn1 {
  return asn1.fromDer(der.toString('latin1'), { decodeBitStrings: false })
}

/** A SEQUENCE, or a SEQUENCE OF, of these nodes in this order. */
export function sequence(items: readonly Asn1[]): Asn1 {
  return asn1.create(Class.UNIVERSAL, Type.SEQUENCE, true, [...items])
}

/** A SET OF with one item: DER requires several items to be sorted by their encoding. */
export function setOf(item: Asn1): Asn1 {
  return asn1.create(Class.UNIVERSAL, Type.SET, true, [item])
}

/** An OBJECT IDENTIFIER from its dotted text. */
export function objectIdentifier(dotted: string): Asn1 {
  return primitive(Type.OID, asn1.oidToDer(dotted).getBytes())
}

/** A BOOLEAN that is true; false is usually a default, which DER leaves out. */
export function isTrue(): Asn1 {
  return primitive(Type.BOOLEAN, '\u00ff')
}

/** NULL. */
export function none(): Asn1 {
  return primitive(Type.NULL, '')
}

/** An INTEGER from its bytes in two's complement. */
export function integer(bytes: Buffer): Asn1 {
  return primitive(Type.INTEGER, bytes.toString('latin1'))
}

/** A UTF8String. */
export function utf8String(text: string): Asn1 {
  return primitive(Type.UTF8, Buffer.from(text, 'utf8').toString('latin1'))
}

/** An OCTET STRING around bytes. */
export function octetString(bytes: Buffer): Asn1 {
  return primitive(Type.OCTETSTRING, bytes.toString('latin1'))
}

/** A BIT STRING of bytes whose last `unusedBits` bits are unused. */
export function bitString(bytes: Buffer, unusedBits: number = 0): Asn1 {
  return primitive(Type.BITSTRING, String.fromCharCode(unusedBits) + bytes.toString('latin1'))
}

/** A Time as X.509 requires it: two digits of the year up to 2049, four from 2050 on. */
export function time(date: Date): Asn1 {
  return date.getUTCFullYear() < 2050
    ? primitive(Type.UTCTIME, asn1.dateToUtcTime(date))
    : primitive(Type.GENERALIZEDTIME, asn1.dateToGeneralizedTime(date))
}

/** A node with a context-specific tag: constructed from a node, primitive from bytes. */
export function tagged(tag: number, content: Asn1 | Buffer): Asn1 {
  return Buffer.isBuffer(content)
    ? asn1.create(Class.CONTEXT_SPECIFIC, tag, false, content.toString('latin1'))
    : taggedList(tag, [content])
}

/** A constructed node with a context-specific tag, from any number of nodes. */
export function taggedList(tag: number, items: readonly Asn1[]): Asn1 {
  return asn1.create(Class.CONTEXT_SPECIFIC, tag, true, [...items])
}

/** The nodes inside a constructed node; none in a primitive node. */
export function itemsOf(node: Asn1 | undefined): readonly Asn1[] {
  return Array.isArray(node?.value) ? node.value : []
}

/** The bytes of a primitive node; none of a constructed one. */
export function bytesOf(node: Asn1 | undefined): Buffer {
  return typeof node?.value === 'string' ? Buffer.from(node.value, 'latin1') : Buffer.alloc(0)
}

/** Whether a node has this context-specific tag. */
export function isTagged(node: Asn1, tag: number): boolean {
  return node.tagClass === Class.CONTEXT_SPECIFIC && node.type === tag
}

function primitive(type: number, value: string): Asn1 {
  return asn1.create(Class.UNIVERSAL, type, false, value)
}
