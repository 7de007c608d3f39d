rec doctor gpu
