export { type AttributeType, type AttributeValue, formatValue, isValueOf, parseValue } from './attribute-values';
