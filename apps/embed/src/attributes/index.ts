export {
  EmbedAttributesRepository,
  type AttributeDefinition,
  type OwnAttribute,
  type OwnValue,
} from './embed-attributes.repository';
